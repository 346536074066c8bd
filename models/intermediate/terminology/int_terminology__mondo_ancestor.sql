{{ ancestors(ref('stg_mondo__name'), ref('int_terminology__mondo_parent'), "mondo_id") }}
