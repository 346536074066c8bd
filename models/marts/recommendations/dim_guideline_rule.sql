{{ config(materialized='view') }}

select * from {{ ref('guideline_rules') }}
