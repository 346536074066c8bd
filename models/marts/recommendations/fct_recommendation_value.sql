{{ config(materialized='view') }}

-- case_version is how the gate pairs cases across builds; it says nothing to a reader
select * exclude (case_version)
from {{ ref('int_recommendations__case_values') }}
