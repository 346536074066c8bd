{{ config(materialized='view') }}

select * exclude (case_version)
from {{ ref('int_recommendations__case_values') }}
