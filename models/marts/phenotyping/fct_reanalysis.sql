-- a JSON list of tests is split; prior tests in another form are shown, but not scored
with patients as (
    select * from {{ ref('int_phenotyping__patients') }}
    where json_valid(prior_tests) and json_type(prior_tests) = 'ARRAY'
),

phenotypes as (
    select * from {{ ref('fct_case_phenotype') }}
    where not is_excluded
),

matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
    where match_rank <= {{ work_up_number('compared_ranks') }}
),

profiles as (
    select * from {{ ref('dim_disease_profile') }}
),

prior_tests as (
    select
        case_id,
        unnest(cast(prior_tests as json[])) as test,
        unnest(range(1, json_array_length(prior_tests)::integer + 1))::integer as test_number,
    from patients
),

genetic_tests as (
    select
        case_id,
        lower(trim(coalesce(test ->> 'test', test ->> 'test_type'))) as test_type,
        cast(test -> 'hpo_ids' as varchar[]) as hpo_ids_then,
        cast(test -> 'genes' as varchar[]) as genes_covered,
        test_number,
        try_cast(test ->> 'date' as date) as tested_on,
    from prior_tests
    where
        json_type(test) = 'OBJECT'
        and test_type in ('gene_panel', 'exome', 'genome', 'single_gene', 'microarray')
),

rules as (
    select
        max(points) filter (where rule = 'old_test') as old_test,
        max(points) filter (where rule = 'gene_panel') as gene_panel,
        max(points) filter (where rule = 'new_phenotypes') as new_phenotypes,
        max(points) filter (where rule = 'new_genes') as new_genes,
        max(threshold) filter (where rule = 'old_test') as old_test_threshold,
        max(threshold) filter (where rule = 'new_phenotypes') as new_phenotypes_threshold,
    from {{ ref('reanalysis_rules') }}
),

present as (
    select
        case_id,
        list(hpo_id order by hpo_id) as hpo_ids,
    from phenotypes
    group by all
),

-- the diseases the final reasoning compares
candidate_genes as (
    select
        matches.case_id,
        list_sort(list_distinct(flatten(list(profiles.gene_symbols)))) as gene_symbols,
    from matches
    inner join profiles on matches.disease_id = profiles.disease_id
    group by all
),

-- Null where the test does not state what was known or covered: that means unknown, not zero. An
-- exome or a genome is not limited to a list of genes.
news as (
    select
        tests.*,
        date_diff('day', tests.tested_on, {{ as_of() }}) / 365.25 as exact_years_since,
        if(
            tests.hpo_ids_then is null,
            null,
            len(list_filter(
                coalesce(present.hpo_ids, []),
                lambda hpo_id: not list_contains(tests.hpo_ids_then, hpo_id)
            ))
        )::integer as n_new_phenotypes,
        if(
            tests.genes_covered is null or tests.test_type in ('exome', 'genome'),
            null,
            list_filter(
                coalesce(candidate_genes.gene_symbols, []),
                lambda gene: not list_contains(tests.genes_covered, gene)
            )
        ) as new_genes,
        len(new_genes) as n_new_genes,
    from genetic_tests as tests
    left join present on tests.case_id = present.case_id
    left join candidate_genes on tests.case_id = candidate_genes.case_id
),

final as (
    select
        news.case_id,
        news.test_type,
        news.new_genes,
        {{ reanalysis_reasons(
            "news.exact_years_since", "news.test_type", "news.n_new_phenotypes", "news.n_new_genes"
        ) }} as reasons,
        news.test_number,
        news.n_new_phenotypes,
        round(news.exact_years_since, 2) as years_since,
        {{ reanalysis_score(
            "news.exact_years_since", "news.test_type", "news.n_new_phenotypes", "news.n_new_genes"
        ) }} as reanalysis_score,
        reanalysis_score >= {{ work_up_number('reanalysis_score') }} as is_recommended,
        news.tested_on,
    from news
    cross join rules
)

select * from final
