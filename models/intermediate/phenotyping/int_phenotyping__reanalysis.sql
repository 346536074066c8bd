with tests as (
    select
        case_id,
        test_type,
        hpo_ids_then,
        genes_covered,
        test_number,
        tested_on,
    from {{ ref('int_phenotyping__prior_tests') }}
    where test_type in ('gene_panel', 'exome', 'genome', 'single_gene', 'microarray')
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
    from {{ ref('int_phenotyping__case_phenotypes') }}
    where not is_excluded
    group by all
),

-- the diseases the final reasoning compares
candidate_genes as (
    select
        matches.case_id,
        list_sort(list_distinct(flatten(list(profiles.gene_symbols)))) as gene_symbols,
    from {{ ref('int_phenotyping__disease_matches') }} as matches
    inner join {{ ref('int_phenotyping__disease_profiles') }} as profiles
        on matches.disease_id = profiles.disease_id
    where matches.match_rank <= {{ work_up_number('compared_ranks') }}
    group by all
),

compared as (
    select
        tests.case_id,
        tests.test_number,
        tests.test_type,
        tests.tested_on,
        date_diff('day', tests.tested_on, {{ as_of() }}) / 365.25 as years_since,
        if(
            tests.hpo_ids_then is null,
            null,
            len(list_filter(
                coalesce(present.hpo_ids, []),
                lambda hpo_id: not list_contains(tests.hpo_ids_then, hpo_id)
            ))
        )::integer as n_new_phenotypes,
        -- what an exome or a genome reads is not limited to a list
        if(
            tests.genes_covered is null or tests.test_type in ('exome', 'genome'),
            null,
            list_filter(
                coalesce(candidate_genes.gene_symbols, []),
                lambda gene: not list_contains(tests.genes_covered, gene)
            )
        ) as new_genes,
    from tests
    left join present on tests.case_id = present.case_id
    left join candidate_genes on tests.case_id = candidate_genes.case_id
),

final as (
    select
        compared.case_id,
        compared.test_number,
        compared.test_type,
        compared.new_genes,
        {{ reanalysis_reasons(
            "compared.years_since", "compared.test_type", "compared.n_new_phenotypes",
            "len(compared.new_genes)"
        ) }} as reasons,
        compared.n_new_phenotypes,
        round(compared.years_since, 2) as years_since,
        {{ reanalysis_score(
            "compared.years_since", "compared.test_type", "compared.n_new_phenotypes",
            "len(compared.new_genes)"
        ) }} as reanalysis_score,
        reanalysis_score >= {{ work_up_number('reanalysis_score') }} as is_recommended,
        compared.tested_on,
    from compared
    cross join rules
)

select * from final
