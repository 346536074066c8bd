{{ config(materialized='view') }}

select * from {{ ref('stg_recommendations__golden_case') }}
