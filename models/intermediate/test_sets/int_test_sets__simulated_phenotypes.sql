with definitions as (
    select * from {{ ref('simulated_test_sets') }}
),

draw as (
    select * from {{ ref('int_test_sets__simulated_draw') }}
),

terms as (
    select
        hpo_id,
        n_diseases,
    from {{ ref('dim_hpo_term') }}
    where is_phenotypic_abnormality
),

disease_names as (
    select
        aliases.concept_id as disease_id,
        aliases.alias_normalised,
    from {{ ref('dim_concept_alias') }} as aliases
    semi join draw on aliases.concept_id = draw.disease_id
    where aliases.scope in ('preferred', 'exact')
),

term_names as (
    select
        concept_id as hpo_id,
        alias_normalised,
    from {{ ref('dim_concept_alias') }}
    where vocabulary = 'hpo'
),

-- some diseases are annotated with a finding of their own name: writing it down tells the answer
telling as (
    select distinct
        disease_names.disease_id,
        term_names.hpo_id,
    from disease_names
    inner join term_names
        on contains(term_names.alias_normalised, disease_names.alias_normalised)
),

annotations as (
    select
        annotated.disease_id,
        annotated.hpo_id,
        annotated.frequency,
    from {{ ref('bridge_disease_phenotype') }} as annotated
    inner join terms on annotated.hpo_id = terms.hpo_id
    anti join telling
        on annotated.disease_id = telling.disease_id and annotated.hpo_id = telling.hpo_id
    where not annotated.is_excluded
),

parents as (
    select
        links.hpo_id,
        links.ancestor_hpo_id as parent_hpo_id,
    from {{ ref('bridge_hpo_ancestor') }} as links
    inner join terms on links.ancestor_hpo_id = terms.hpo_id
    where links.distance = 1 and links.ancestor_hpo_id != 'HP:0000118'
),

-- a finding is seen with its frequency, and then left out now and then however typical it is
tossed as (
    select
        draw.case_id,
        draw.test_set,
        draw.seed,
        annotations.hpo_id,
        {{ uniform("draw.seed || ':seen:' || draw.case_id || annotations.hpo_id") }}
        < annotations.frequency
        and {{ uniform("draw.seed || ':omitted:' || draw.case_id || annotations.hpo_id") }}
        >= definitions.omission_probability as is_seen,
        annotations.frequency,
        {{ uniform("draw.seed || ':order:' || draw.case_id || annotations.hpo_id") }} as shuffle,
    from draw
    inner join definitions on draw.test_set = definitions.test_set
    inner join annotations on draw.disease_id = annotations.disease_id
),

-- too few seen: the most frequent of the unseen come back, so that every case says something
kept as (
    select
        tossed.case_id,
        tossed.test_set,
        tossed.seed,
        tossed.hpo_id,
    from tossed
    inner join definitions on tossed.test_set = definitions.test_set
    qualify
        row_number() over (
            partition by tossed.case_id
            order by
                tossed.is_seen desc,
                tossed.frequency * (not tossed.is_seen)::integer desc,
                tossed.shuffle
        ) <= greatest(
            definitions.min_phenotypes,
            least(
                definitions.max_phenotypes,
                count(*) filter (where tossed.is_seen) over (partition by tossed.case_id)
            )
        )
),

-- some findings are written down one step less precisely
blurred as (
    select
        kept.case_id,
        coalesce(parents.parent_hpo_id, kept.hpo_id) as hpo_id,
        case when parents.parent_hpo_id is null then 'annotated' else 'parent' end as origin,
    from kept
    inner join definitions on kept.test_set = definitions.test_set
    left join parents
        on
            kept.hpo_id = parents.hpo_id
            and {{ uniform("kept.seed || ':blurred:' || kept.case_id || kept.hpo_id") }}
            < definitions.parent_probability
    qualify
        row_number() over (
            partition by kept.case_id, kept.hpo_id
            order by
                {{ uniform("kept.seed || ':parent:' || kept.case_id || parents.parent_hpo_id") }}
        ) = 1
),

-- whatever belongs to one sex only could contradict the rest of the record
sex_specific as (
    select distinct links.hpo_id,
    from {{ ref('bridge_hpo_ancestor') }} as links
    inner join {{ ref('sex_rules') }} as sex_rules
        on links.ancestor_hpo_id = sex_rules.hpo_id
),

-- findings that have nothing to do with the disease, from terms that real annotations use
-- a draw number for every case and term: the few that can be chosen below have a small one, so
-- that thousands of others need not be sorted
noise_draws as (
    select
        draw.case_id,
        draw.test_set,
        draw.seed,
        draw.disease_id,
        terms.hpo_id,
        {{ uniform("draw.seed || ':noise:' || draw.case_id || terms.hpo_id") }} as draw_number,
    from draw
    inner join definitions on draw.test_set = definitions.test_set
    cross join terms
    where
        terms.n_diseases >= 20
        and draw_number < 0.02 * (1 + definitions.max_noise_terms)
),

noise as (
    select
        noise_draws.case_id,
        noise_draws.hpo_id,
        'noise' as origin,
    from noise_draws
    inner join definitions on noise_draws.test_set = definitions.test_set
    anti join {{ ref('bridge_disease_phenotype_closure') }} as closure
        on noise_draws.disease_id = closure.disease_id and noise_draws.hpo_id = closure.hpo_id
    anti join sex_specific on noise_draws.hpo_id = sex_specific.hpo_id
    qualify
        row_number() over (
            partition by noise_draws.case_id
            order by noise_draws.draw_number
        ) <= floor(
            {{ uniform("noise_draws.seed || ':n_noise:' || noise_draws.case_id") }}
            * (definitions.max_noise_terms + 1)
        )
),

everything as (
    select
        case_id,
        hpo_id,
        origin,
    from blurred
    union all
    select
        case_id,
        hpo_id,
        origin,
    from noise
),

-- two findings can blur into the same parent: one line in the record
final as (
    select
        case_id,
        hpo_id,
        min(origin) as origin,
    from everything
    group by all
)

select * from final
