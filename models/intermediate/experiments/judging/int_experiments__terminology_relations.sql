-- The vote: of all the evidence on a pair, the rule that stands first in the semantic_rules seed.
with pairs as (
    select * from {{ ref('int_experiments__judged_pairs') }}
),

rules as (
    select
        *,
        -- an answer that leaves several diseases open is broader than any of them
        if(semantic_relation = 'Exact Synonym', 'one_of_several', rule) as alternative_rule,
    from {{ ref('semantic_rules') }}
),

known_readings as (
    select
        readings.reading_key,
        if(count(concepts.concept_id) > 0, 'no_link', 'unknown_name') as rule,
    from {{ ref('int_experiments__diagnosis_readings') }} as readings
    left join {{ ref('int_experiments__diagnosis_concepts') }} as concepts using (reading_key)
    group by all
),

-- the rules for a pair without any evidence
no_evidence as (
    select
        pairs.gold_key,
        pairs.reading_key,
        coalesce(known_readings.rule, 'no_diagnosis') as rule,
        case coalesce(known_readings.rule, 'no_diagnosis')
            when 'no_link' then 'no rule links it to the gold diagnosis'
            when 'unknown_name' then 'no terminology knows this name'
            else 'it names no disease that the patient is said to have'
        end as reason,
        false as is_alternative,
    from pairs
    left join known_readings using (reading_key)
),

evidence as (
    {%- for kind in ["name", "code", "gene", "class", "profile"] %}
        select * from {{ ref('int_experiments__' ~ kind ~ '_evidence') }}
        union all by name
    {%- endfor %}
    select * from no_evidence
),

final as (
    select
        evidence.gold_key,
        evidence.reading_key,
        rules.semantic_relation,
        rules.rule as semantic_rule,
        evidence.reason as semantic_reason,
    from evidence
    inner join rules as stated on evidence.rule = stated.rule
    inner join rules
        on if(evidence.is_alternative, stated.alternative_rule, stated.rule) = rules.rule
    qualify
        row_number() over (
            partition by evidence.gold_key, evidence.reading_key
            order by rules.rule_order, evidence.reason
        ) = 1
)

select * from final
