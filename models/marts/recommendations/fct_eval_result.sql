{{ config(materialized='view') }}

select * from {{ ref('int_recommendations__eval_history') }}
