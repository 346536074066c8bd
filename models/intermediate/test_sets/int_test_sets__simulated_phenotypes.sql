-- The findings of a simulated patient, in four steps: the disease's findings are drawn, a minimum
-- of them kept, some replaced by a parent term, and a few unrelated ones added.
with definitions as (
    select * from {{ ref('generated_test_sets') }}
    where kind = 'simulated'
),

draw as (
    select
        definitions.*,
        draws.case_id,
        draws.disease_id,
    from {{ ref('int_test_sets__simulated_draw') }} as draws
    inner join definitions on draws.test_set = definitions.test_set
),


aliases as (
    select * from {{ ref('dim_concept_alias') }}
),

ancestors as (
    select * from {{ ref('bridge_hpo_ancestor') }}
),

-- what a newer release adds has no frequencies to draw by
drawn_annotations as (
    select *
    from {{ ref('bridge_disease_phenotype') }}
    where not is_excluded
    qualify release = min(release) over ()
),

terms as (
    select hpo_id,
    from ancestors
    where ancestor_hpo_id = '{{ hpo_phenotypic_abnormality() }}'
),

-- findings that many diseases have
common_terms as (
    select ancestors.ancestor_hpo_id as hpo_id,
    from drawn_annotations
    inner join ancestors on drawn_annotations.hpo_id = ancestors.hpo_id
    semi join terms on ancestors.ancestor_hpo_id = terms.hpo_id
    group by all
    having count(distinct drawn_annotations.disease_id) >= 20
),

disease_names as (
    select
        aliases.concept_id as disease_id,
        aliases.alias_normalised,
    from aliases
    semi join draw on aliases.concept_id = draw.disease_id
    where aliases.scope in ('preferred', 'exact')
),

-- some diseases are annotated with a finding of their own name, which would give the answer away
telling as (
    select distinct
        disease_names.disease_id,
        term_names.concept_id as hpo_id,
    from disease_names
    inner join aliases as term_names
        on
            term_names.vocabulary = 'hpo'
            and contains(term_names.alias_normalised, disease_names.alias_normalised)
),

annotations as (
    select annotated.*
    from drawn_annotations as annotated
    semi join terms on annotated.hpo_id = terms.hpo_id
    anti join telling
        on annotated.disease_id = telling.disease_id and annotated.hpo_id = telling.hpo_id
),

-- a finding occurs with its frequency and is sometimes left out, however typical it is
tossed as (
    select
        draw.*,
        annotations.hpo_id,
        annotations.frequency,
        {{ uniform("draw.seed || ':seen:' || draw.case_id || annotations.hpo_id") }}
        < annotations.frequency
        and {{ uniform("draw.seed || ':omitted:' || draw.case_id || annotations.hpo_id") }}
        >= draw.omission_probability as is_seen,
        {{ uniform("draw.seed || ':order:' || draw.case_id || annotations.hpo_id") }} as shuffle,
    from draw
    inner join annotations on draw.disease_id = annotations.disease_id
),

-- if too few occur, the most frequent of the others return, so that every case has content
kept as (
    select *
    from tossed
    qualify
        row_number() over (
            partition by case_id
            order by is_seen desc, frequency * (not is_seen)::integer desc, shuffle asc
        ) <= greatest(
            min_phenotypes,
            least(max_phenotypes, count(*) filter (where is_seen) over (partition by case_id))
        )
),

-- 'Phenotypic abnormality' is not a finding
parents as (
    select
        ancestors.hpo_id,
        ancestors.ancestor_hpo_id as parent_hpo_id,
    from ancestors
    semi join terms on ancestors.ancestor_hpo_id = terms.hpo_id
    where
        ancestors.distance = 1
        and ancestors.ancestor_hpo_id != '{{ hpo_phenotypic_abnormality() }}'
),

-- some findings are recorded one step less precisely
blurred as (
    select
        kept.case_id,
        coalesce(parents.parent_hpo_id, kept.hpo_id) as hpo_id,
        if(parents.parent_hpo_id is null, 'annotated', 'parent') as origin,
    from kept
    left join parents
        on
            case
                when
                    {{ uniform("kept.seed || ':blurred:' || kept.case_id || kept.hpo_id") }}
                    < kept.parent_probability
                    then kept.hpo_id
            end = parents.hpo_id
    qualify
        row_number() over (
            partition by kept.case_id, kept.hpo_id
            order by
                {{ uniform("kept.seed || ':parent:' || kept.case_id || parents.parent_hpo_id") }}
        ) = 1
),

-- findings of one sex only could contradict the rest of the record
sex_specific as (
    select distinct ancestors.hpo_id,
    from ancestors
    semi join {{ ref('sex_rules') }} as sex_rules
        on ancestors.ancestor_hpo_id = sex_rules.hpo_id
),

-- terms that real annotations use; as such, or the filter below would draw each once more
every_draw as materialized (
    select
        draw.*,
        common_terms.hpo_id,
        {{ uniform("draw.seed || ':noise:' || draw.case_id || common_terms.hpo_id") }}
            as draw_number,
    from draw
    cross join common_terms
),

-- only small draws are kept, as many as can be chosen below and some more, so that thousands of
-- others need not be sorted
noise_draws as (
    select * from every_draw
    where draw_number < 0.02 * (1 + max_noise_terms)
),

noise as (
    select
        noise_draws.case_id,
        noise_draws.hpo_id,
        'noise' as origin,
    from noise_draws
    anti join {{ ref('bridge_disease_phenotype_closure') }} as closure
        on noise_draws.disease_id = closure.disease_id and noise_draws.hpo_id = closure.hpo_id
    anti join sex_specific on noise_draws.hpo_id = sex_specific.hpo_id
    qualify
        row_number() over (
            partition by noise_draws.case_id
            order by noise_draws.draw_number
        ) <= floor(
            {{ uniform("noise_draws.seed || ':n_noise:' || noise_draws.case_id") }}
            * (noise_draws.max_noise_terms + 1)
        )
),

findings as (
    select * from blurred
    union all by name
    select * from noise
),

-- two findings can have the same parent: one line in the record
final as (
    select
        case_id,
        hpo_id,
        min(origin) as origin,
    from findings
    group by all
)

select * from final
