-- The phrases of a record, drawn among those that fit the patient: a few of each kind, some
-- abbreviated or misspelt.
with patients as (
    select * from {{ ref('int_test_sets__emergency_patients') }}
),

-- a phrase belongs to an owner: a diagnosis, a presentation, an age group, a severity, or anybody
owners as (
    select
        *,
        case
            when outcome = 'discharge' then age_group
            when outcome = 'severe' then 'severe'
            else 'critical'
        end as state_owner,
        case when outcome = 'discharge' or age_group = 'child' then age_group else 'severe' end
            as opening_owner,
        unnest(list_distinct(list_filter(
            [
                code_template,
                presentation,
                'any',
                age_group,
                if(age_years >= 65, 'older', null),
                if(outcome = 'discharge', null, 'severe'),
                if(outcome in ('critical', 'death'), 'critical', null),
            ],
            lambda owner: owner is not null
        ))) as owner,
    from patients
),

phrases as (
    select * from {{ ref('emergency_phrases') }}
),

spellings as (
    select * from {{ ref('emergency_spellings') }}
),

candidates as (
    select
        owners.*,
        phrases.kind,
        phrases.phrase,
    from owners
    inner join phrases on owners.owner = phrases.owner
    where
        (phrases.kind = 'unusable_reason') = owners.is_unusable
        and (phrases.kind != 'state' or owners.owner = owners.state_owner)
        and (
            phrases.kind != 'opening'
            or owners.owner = owners.opening_owner
            or owners.owner = 'older'
        )
),

-- how many phrases of each kind a record has; one of every other kind
limits as (
    select
        test_set,
        source_row,
        2 + floor(3 * {{ uniform("draw_key || ':n_history'") }}) as n_history,
        1 + floor(3 * {{ uniform("draw_key || ':n_examination'") }}) as n_examination,
        floor(3.4 * {{ uniform("draw_key || ':n_negated'") }}) as n_negated,
        floor(2.6 * {{ uniform("draw_key || ':n_normal'") }}) as n_normal_examination,
        if(
            outcome != 'discharge', 1, round(0.3 + {{ uniform("draw_key || ':n_test'") }})
        ) as n_test,
        round({{ uniform("draw_key || ':n_treatment'") }}) as n_treatment,
        if(age_years >= 65, 1, 0)
        + floor(2.5 * {{ uniform("draw_key || ':n_background'") }}) as n_background,
        if(
            age_years >= 65 and {{ uniform("draw_key || ':n_comorbidity'") }} < 0.15, 1, 0
        ) as n_comorbidity,
    from patients
),

ranked as (
    select
        test_set,
        source_row,
        draw_key,
        kind,
        {{ fill_phrase("phrase", "sex", "side") }} as phrase,
        row_number() over (
            partition by test_set, source_row, kind
            order by {{ uniform("draw_key || ':' || kind || ':' || phrase") }}
        ) as phrase_order,
    from candidates
),

chosen as (
    select ranked.*
    from ranked
    inner join limits
        on ranked.test_set = limits.test_set and ranked.source_row = limits.source_row
    where
        ranked.phrase_order <= case ranked.kind
            when 'history' then limits.n_history
            when 'examination' then limits.n_examination
            when 'negated' then limits.n_negated
            when 'normal_examination' then limits.n_normal_examination
            when 'test' then limits.n_test
            when 'treatment' then limits.n_treatment
            when 'background' then limits.n_background
            when 'comorbidity' then limits.n_comorbidity
            else 1
        end
),

written_phrases as (
    select distinct phrase,
    from chosen
),

rewritable as (
    select
        written_phrases.phrase as whole_phrase,
        spellings.phrase,
        spellings.written_as,
        spellings.kind,
    from written_phrases
    inner join spellings on contains(written_phrases.phrase, spellings.phrase)
),

-- people in a hurry abbreviate a third of the phrases that allow it and sometimes misspell. The
-- judgement is coded and the complaint sorted by its wording, so both stay as they are
swaps as (
    select
        chosen.test_set,
        chosen.source_row,
        chosen.kind,
        chosen.phrase_order,
        rewritable.phrase,
        rewritable.written_as,
    from chosen
    inner join rewritable on chosen.phrase = rewritable.whole_phrase
    where
        chosen.kind not in ('judgement', 'comorbidity', 'complaint', 'unusable_reason')
        and {{ uniform("chosen.draw_key || rewritable.phrase || rewritable.written_as") }}
        < if(rewritable.kind = 'abbreviation', 0.35, 0.06)
    qualify
        row_number() over (
            partition by
                chosen.test_set, chosen.source_row, chosen.kind, chosen.phrase_order
            order by rewritable.kind desc, rewritable.phrase asc, rewritable.written_as asc
        ) = 1
),

final as (
    select
        chosen.test_set,
        chosen.source_row,
        chosen.kind,
        chosen.phrase_order::integer as phrase_order,
        case
            when swaps.phrase is null then chosen.phrase
            else replace(chosen.phrase, swaps.phrase, swaps.written_as)
        end as phrase,
    from chosen
    left join swaps
        on
            chosen.test_set = swaps.test_set
            and chosen.source_row = swaps.source_row
            and chosen.kind = swaps.kind
            and chosen.phrase_order = swaps.phrase_order
)

select * from final
