{#- How many solved cases a prompt shows. -#}
{%- set n_examples = 2 -%}

with asking_prompts as (
    select prompt_alias
    from {{ ref('stg_registry__prompt') }}
    where list_contains(string_split(placeholders, ';'), 'similar_cases')
),

asking as (
    select distinct members.case_id
    from {{ ref('int_experiments__configurations') }} as configurations
    inner join {{ ref('bridge_test_set_case') }} as members
        on configurations.test_set = members.test_set
    semi join asking_prompts on configurations.prompt_alias = asking_prompts.prompt_alias
    where configurations.model_kind = 'llm'
),

cases as (
    select
        case_id,
        language,
        narrative,
        gold_name,
        coalesce(gold_concept_id, {{ normalise_name("gold_name") }}) as gold_key,
        contains_phi,
        is_holdout,
    from {{ ref('dim_case') }}
),

findings as (
    select
        phenotypes.case_id,
        phenotypes.hpo_id,
        terms.information_content,
    from {{ ref('bridge_case_phenotype') }} as phenotypes
    inner join {{ ref('dim_hpo_term') }} as terms on phenotypes.hpo_id = terms.hpo_id
    where not phenotypes.is_excluded
),

sizes as (
    select
        case_id,
        sum(information_content) as size,
    from findings
    group by all
),

asking_findings as (
    select
        findings.case_id,
        findings.hpo_id,
        findings.information_content,
    from findings
    semi join asking on findings.case_id = asking.case_id
),

shared_findings as (
    select
        theirs.case_id,
        others.case_id as example_case_id,
        sum(theirs.information_content) as overlap,
    from asking_findings as theirs
    inner join findings as others
        on theirs.hpo_id = others.hpo_id and theirs.case_id != others.case_id
    group by all
),

-- a case is never shown a solved case of its own disease, a held-out case or a personal one
candidates as (
    select
        shared_findings.case_id,
        shared_findings.example_case_id,
        examples.narrative,
        examples.gold_name,
        {{ profile_similarity(
            "shared_findings.overlap", "sizes.size", "example_sizes.size"
        ) }}
            as similarity,
    from shared_findings
    inner join cases on shared_findings.case_id = cases.case_id
    inner join cases as examples
        on
            shared_findings.example_case_id = examples.case_id
            and cases.language = examples.language
            and cases.gold_key != examples.gold_key
            and not examples.contains_phi
            and not examples.is_holdout
    inner join sizes on shared_findings.case_id = sizes.case_id
    inner join sizes as example_sizes on shared_findings.example_case_id = example_sizes.case_id
),

final as (
    select
        case_id,
        example_case_id,
        narrative,
        gold_name,
        similarity,
        row_number() over (
            partition by case_id
            order by similarity desc, example_case_id asc
        )::integer as example_rank,
    from candidates
    qualify example_rank <= {{ n_examples }}
)

select * from final
