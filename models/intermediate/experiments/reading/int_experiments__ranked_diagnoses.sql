-- Models, recorded runs and the rankers of this project come together here, and a disease named
-- twice is merged here, whoever made the list.
with {{ recorded_or_asked() }},

parsed as (
    select
        answer_key,
        unnest(diagnoses) as item,
    from {{ ref('int_experiments__parsed_answers') }}
),

cells as (
    select * from {{ ref('int_experiments__expected_cells') }}
),

{{ keyless_rankings() }},

items as (
    select
        answers.configuration_id,
        answers.case_id,
        parsed.item.place,
        parsed.item.rank as diagnosis_rank,
        parsed.item.diagnosis,
        parsed.item.reasoning,
        parsed.item.in_favour,
        parsed.item.against,
        parsed.item.risk,
    from answers
    inner join parsed using (answer_key)
    union all by name
    select
        cells.configuration_id,
        cells.case_id,
        keyless.diagnosis_rank as place,
        keyless.diagnosis_rank,
        keyless.diagnosis,
        keyless.reasoning,
        keyless.in_favour,
        keyless.against,
    from cells
    inner join keyless on {{ is_ranked_by("cells", "keyless") }}
),

listed as (
    select
        *,
        {{ normalise_name("diagnosis") }} as diagnosis_normalised,
        min(diagnosis_rank) over (
            partition by configuration_id, case_id, {{ normalise_name("diagnosis") }}
        ) as first_rank,
    from items
),

repeats as (
    select
        configuration_id,
        case_id,
        diagnosis_normalised,
        list(
            {
                place: place::integer,
                diagnosis_rank: diagnosis_rank::integer,
                diagnosis: diagnosis
            } order by place
        ) as repeats,
    from listed
    where diagnosis_rank != first_rank
    group by all
),

final as (
    select
        listed.configuration_id,
        listed.case_id,
        listed.diagnosis_rank::integer as diagnosis_rank,
        listed.diagnosis,
        listed.diagnosis_normalised,
        listed.reasoning,
        listed.in_favour,
        listed.against,
        listed.risk,
        repeats.repeats,
        listed.diagnosis_rank <= {{ max_judged_rank() }} as is_judged,
    from listed
    left join repeats using (configuration_id, case_id, diagnosis_normalised)
    where listed.diagnosis_rank = listed.first_rank
)

select * from final
