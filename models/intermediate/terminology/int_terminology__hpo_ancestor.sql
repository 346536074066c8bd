{{ ancestors(ref('stg_hpo__term'), ref('stg_hpo__is_a'), "hpo_id") }}
