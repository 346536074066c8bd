-- A finding or sign raises a flag if it is there today, its sentence has the words that the flag
-- asks for, every finding that it must come with is there too and none that speaks against it, and
-- the patient is below the age.
-- Of several that one finding raises, the gravest counts, and of those a picture rather than the
-- bare finding.
-- The note as a whole is a second witness: where it reads like an emergency of now and no urgent
-- flag is raised it raises one, and where it does not, words alone stop no case.
with red_flags as (
    select * from {{ ref('dim_red_flag') }}
),

criteria as (
    select * from {{ ref('clinical_signs') }}
),

all_mentions as (
    select * from {{ ref('int_phenotyping__mentions') }}
    where status = 'present'
),

mentions as (
    select * from all_mentions
    where kind in ('sign', 'measure')
),

impressions as (
    select
        case_id,
        max(value) filter (where finding = 'urgency') as urgency,
        max(value) filter (where finding = 'words') as n_words,
        max(written) filter (where finding = 'urgency') as written,
        list(split_part(finding, ':', 2) order by value desc) filter (
            where starts_with(finding, 'emergency:')
        ) as emergencies,
        max(value) filter (where starts_with(finding, 'emergency:')) as margin,
    from all_mentions
    where kind = 'impression'
    group by all
),

told_ages as (
    select
        case_id,
        min(value) as age_years,
    from mentions
    where finding = 'age_years'
    group by all
),

ages as (
    select
        cases.case_id,
        coalesce(cases.age_years, told_ages.age_years) as age_years,
    from {{ ref('int_phenotyping__cases') }} as cases
    left join told_ages on cases.case_id = told_ages.case_id
),

shock_indices as (
    select
        case_id,
        'shock_index' as finding,
        max(value) filter (where finding = 'heart_rate')
        / min(value) filter (where finding = 'systolic_pressure') as value,
        string_agg(distinct written, ', ' order by written) as written,
        min(evidence) as evidence,
    from mentions
    where finding in ('heart_rate', 'systolic_pressure')
    group by all
),

values_read as (
    select
        case_id,
        finding,
        value,
        written,
        evidence,
    from mentions
    union all
    select
        case_id,
        finding,
        value,
        written,
        evidence,
    from shock_indices
),

-- adult limits where no age is known; the values of one measure count once
met as (
    select
        values_read.case_id,
        criteria.sign,
        coalesce(criteria.measure, criteria.criterion::varchar) as part,
        max(criteria.points) as points,
        min(criteria.needed) as needed,
        bool_or(criteria.measure is not null) as is_measured,
        string_agg(distinct values_read.written, ', ' order by values_read.written) as written,
        string_agg(distinct values_read.evidence, ' ' order by values_read.evidence) as evidence,
    from values_read
    inner join ages on values_read.case_id = ages.case_id
    inner join criteria
        on
            values_read.finding = criteria.sign || '#' || criteria.criterion
            or (
                values_read.finding = criteria.measure
                and values_read.value >= coalesce(criteria.at_least, values_read.value)
                and (criteria.below is null or values_read.value < criteria.below)
                and coalesce(ages.age_years, 40) >= coalesce(criteria.from_years, 0)
                and coalesce(ages.age_years, 40) < coalesce(criteria.below_years, 200)
            )
    group by all
),

signs as (
    select
        case_id,
        sign as hpo_id,
        string_agg(distinct written, ', ' order by written) as written,
        string_agg(distinct evidence, ' ' order by evidence) as evidence,
        bool_or(is_measured) as is_measured,
    from met
    group by all
    having sum(points) >= min(needed)
),

alarming as (
    select
        case_id,
        hpo_id,
        evidence,
        null::varchar as written,
        (coalesce(method, '') = 'measure' or origin != 'note') as is_measured,
    from {{ ref('int_phenotyping__decided_findings') }}
    where status = 'present' and overruling_hpo_id is null
    union all
    select
        case_id,
        hpo_id,
        evidence,
        written,
        is_measured,
    from signs
),

company as (
    select
        case_id,
        list(hpo_id) as hpo_ids,
    from alarming
    group by all
),

raised as (
    select
        alarming.case_id,
        alarming.hpo_id,
        red_flags.flag_hpo_id,
        red_flags.flag_name,
        red_flags.severity,
        alarming.written,
        alarming.is_measured,
        red_flags.reason,
        red_flags.source,
        red_flags.with_hpo_ids,
        red_flags.also_with_hpo_ids,
    from alarming
    inner join red_flags on alarming.hpo_id = red_flags.hpo_id
    inner join company on alarming.case_id = company.case_id
    left join ages on alarming.case_id = ages.case_id
    where
        (
            red_flags.words is null
            or regexp_matches(lower(strip_accents(alarming.evidence)), red_flags.words)
        )
        and (
            red_flags.with_hpo_ids is null
            or list_has_any(company.hpo_ids, red_flags.with_hpo_ids)
        )
        and (
            red_flags.also_with_hpo_ids is null
            or list_has_any(company.hpo_ids, red_flags.also_with_hpo_ids)
        )
        and (
            red_flags.without_hpo_ids is null
            or not list_has_any(company.hpo_ids, red_flags.without_hpo_ids)
        )
        and (red_flags.below_years is null or ages.age_years < red_flags.below_years)
    qualify
        row_number() over (
            partition by alarming.case_id, alarming.hpo_id
            order by
                (red_flags.severity = 'URGENT') desc,
                red_flags.is_picture desc,
                red_flags.flag_name asc
        ) = 1
),

-- the words of the signs that a sign has for company, but for those that only say since when
words_of_company as (
    select
        raised.case_id,
        raised.hpo_id,
        string_agg(distinct alarming.written, ', ' order by alarming.written) as written,
    from raised
    inner join alarming
        on raised.case_id = alarming.case_id and raised.hpo_id != alarming.hpo_id
    where
        (
            list_contains(raised.with_hpo_ids, alarming.hpo_id)
            or list_contains(raised.also_with_hpo_ids, alarming.hpo_id)
        )
        and alarming.hpo_id not in ('sign:sudden', 'sign:days')
    group by all
),

-- a value that was measured stands, whatever the note reads like
weighed as (
    select
        raised.case_id,
        raised.hpo_id,
        raised.flag_hpo_id,
        raised.flag_name,
        raised.severity = 'URGENT'
        and not raised.is_measured
        and coalesce(
            impressions.urgency < {{ urgency_lowered("impressions.n_words") }}, false
        ) as is_lowered,
        raised.severity,
        if(
            raised.written is null,
            null,
            concat_ws(', ', raised.written, words_of_company.written)
        ) as written,
        raised.reason,
        raised.source,
    from raised
    left join impressions on raised.case_id = impressions.case_id
    left join words_of_company
        on
            raised.case_id = words_of_company.case_id
            and raised.hpo_id = words_of_company.hpo_id
),

urgent as (
    select distinct case_id
    from weighed
    where severity = 'URGENT' and not is_lowered
),

reasons as (
    select
        flag_name,
        min(reason) as reason,
    from red_flags
    where severity = 'URGENT'
    group by all
),

learnt as (
    select
        impressions.case_id,
        'impression' as hpo_id,
        'impression' as flag_hpo_id,
        'Reads like an emergency' as flag_name,
        'URGENT' as severity,
        impressions.written,
        'Read the note now, and see the patient. Of the emergencies that the project has notes of,'
        || ' the nearest are: '
        || array_to_string(impressions.emergencies, '; ')
        || '.'
        || coalesce(' For the first of them: ' || reasons.reason, '') as reason,
        'learnt from the notes in seeds/phenotyping/example_notes.csv' as source,
    from impressions
    -- what is done in an emergency that is not near may harm in another
    left join reasons
        on
            impressions.emergencies[1] = reasons.flag_name
            and impressions.margin >= {{ emergency_margin() }}
    where
        impressions.urgency >= {{ urgency_raised() }}
        and impressions.case_id not in (select case_id from urgent)
),

final as (
    select
        case_id,
        hpo_id,
        flag_hpo_id,
        flag_name,
        if(is_lowered, 'HIGH', severity) as severity,
        written,
        if(
            is_lowered,
            'As a whole the note does not read like an emergency of now: find out when and of whom'
            || ' it is told. ',
            ''
        )
        || reason as reason,
        source,
    from weighed
    union all
    select * from learnt
)

select * from final
