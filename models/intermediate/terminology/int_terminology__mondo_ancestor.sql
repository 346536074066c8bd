{{ ancestors(ref('mondo_name'), ref('int_terminology__mondo_parent'), "mondo_id") }}
