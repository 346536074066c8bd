{#- The test no_regression of this mart stops what is built on it, so that the alert and the history
    of runs read int_recommendations__gate instead. -#}
{{ config(materialized='view') }}

select * from {{ ref('int_recommendations__gate') }}
