{#- case_version pairs cases across builds for the gate; it tells a reader nothing. -#}
{{ config(materialized='view') }}

select * exclude (case_version)
from {{ ref('int_recommendations__case_values') }}
