{{
    ancestors(
        ref('int_terminology__mondo_class'), ref('int_terminology__mondo_parent'), "mondo_id",
    )
}}
