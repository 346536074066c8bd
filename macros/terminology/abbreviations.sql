{#
  An abbreviation in the form used for comparison: normalised, without dots, blanks and hyphens, so
  that D.M. 2, DM-2 and dm2 are one.
#}
{% macro abbreviation_key(expression) -%}
  replace({{ normalise_name(expression) }}, ' ', '')
{%- endmacro %}


{#
  A clinical text, lower case and without accents, with its negated clauses blanked out: from a
  negation in Spanish or English to the end of the clause (full stop, colon, semicolon, end of line,
  or a but). Commas do not end it, because denials are mostly lists ("niega tos, fiebre y disnea").
  It removes too much rather than too little, so that the remaining text was affirmed.
#}
{% macro without_negated_clauses(text) -%}
  regexp_replace(
    regexp_replace(
      lower(strip_accents({{ text }})),
      '\b(pero|aunque|salvo|excepto|but|although|except|however)\b', '. ', 'g'
    ),
    '\b(no|not|sin|ni|nor|niegan?|negando|descartad?[oa]?|ausencia de|without|denie[sd]|denying|'
    || 'absence of|negativ[oae]s? para|negative for)\b[^.;:\n]*',
    ' ', 'g'
  )
{%- endmacro %}


{#
  The words of a clinical phrase as written, in order: cut at blanks, brackets, commas, colons and
  slashes; dots stay (I.C.C. is one word). An empty list for an empty phrase.
#}
{% macro clinical_words(text) -%}
  list_filter(
    string_split_regex({{ text }}, '[{{ word_ends() }}]+'),
    lambda word: regexp_matches(word, '[\p{L}\p{N}]')
  )
{%- endmacro %}


{# What separates two words of a clinical phrase, as a character class. #}
{% macro word_ends() -%} \s,;:()\[\]/+ {%- endmacro %}


{#
  Whether a word within a longer phrase is written the way abbreviations are: two capitals or digits
  at least. A phrase in capitals shows no difference; there every word may be one that is no
  article, preposition, conjunction or pronoun (LA is laringitis aguda, and a word of half the
  phrases).
#}
{% macro is_written_as_abbreviation(word, phrase) -%}
  (
    regexp_matches({{ word }}, '\p{Lu}.*[\p{Lu}\p{N}]')
    and not (
      upper({{ phrase }}) = {{ phrase }}
      and list_contains(
        [
          'a', 'al', 'as', 'at', 'by', 'con', 'de', 'del', 'e', 'el', 'en', 'for', 'in', 'it', 'la',
          'las', 'le', 'lo', 'los', 'me', 'mi', 'no', 'o', 'of', 'on', 'or', 'para', 'por', 'se',
          'si', 'sin', 'su', 'te', 'the', 'to', 'u', 'un', 'una', 'with', 'y',
        ],
        lower({{ word }})
      )
    )
  )
{%- endmacro %}


{#
  A phrase with its abbreviations written out: ICC DESCOMPENSADA, insuficiencia cardíaca congestiva
  DESCOMPENSADA. `mentions` and `meanings` are two lists of one length; null if there are none.
#}
{% macro spell_out(phrase, mentions, meanings) -%}
  list_reduce(
    list_transform(
      list_zip({{ mentions }}, {{ meanings }}),
      lambda pair: pair[1] || e'\t' || pair[2]
    ),
    lambda written, pair: regexp_replace(
      written,
      '(^|[{{ word_ends() }}])'
      || regexp_escape(split_part(pair, e'\t', 1))
      || '($|[{{ word_ends() }}])',
      '\1' || split_part(pair, e'\t', 2) || '\2'
    ),
    {{ phrase }}
  )
{%- endmacro %}


{#
  What a mention in a case stands for: a name or an abbreviation, read in the context of the case.
  It never guesses: what the rules cannot decide is `ambiguous`.

  mentions      name of a relation or CTE, one row per mention, with the columns
                mention_id, mention (what is written), language (ISO 639-1, null: not known),
                context (text of the case, null: none), section (where the mention stands: reason,
                history, background, examination, tests, diagnosis), sex (male, female), age_years,
                specialty (ICD-10-CM chapter of the case, Roman numeral); all but the first two may
                be null
  vocabularies  which names count, the first of them that knows a name decides
  senses, cues, aliases, codes   other relations in place of the marts, for tests

  Returns a select of one row per mention:
    mention_id, status, rule, concept_id, vocabulary, meaning, reason, candidates
  status: resolved · not_a_diagnosis (the abbreviation of a test, a part of the body …) · ambiguous
  · unknown. The first rule that applies decides:
    name         it is a name of one concept (of several on one line of ICD-10-CM, the broadest)
    only_sense   an abbreviation with one meaning
    elimination  sex, age, or the section (`diagnosis` holds diagnoses only) leaves one meaning
    expansion    the case spells out exactly one of the meanings
    cues         one meaning has two cues more than any other, or all the cues there are
  and for what is ambiguous: several_concepts (a name), no_cue, conflicting_cues, no_sense_fits.
  `reason` names cues, never text of the case. Cues in negated clauses do not count.

  Used as a CTE:  readings as ( {{ resolve_terms("mentions") }} )
#}
{% macro resolve_terms(
    mentions, vocabularies=["icd10cm", "disease", "hpo"], senses=none, cues=none, aliases=none,
    codes=none
) %}
{%- set vocabulary_list = "['" ~ vocabularies | join("', '") ~ "']" %}
with asked as (
    select
        mention_id,
        language,
        section,
        sex,
        age_years,
        specialty,
        {{ american_spelling(normalise_name("mention")) }} as name_key,
        {{ abbreviation_key("mention") }} as abbreviation_key,
        ' ' || {{ normalise_name(without_negated_clauses("context")) }} || ' ' as context,
    from {{ mentions }}
),

named as (
    select
        asked.mention_id,
        aliases.concept_id,
        aliases.vocabulary,
        aliases.alias,
        codes.path,
        dense_rank() over (
            partition by asked.mention_id
            order by
                list_position({{ vocabulary_list }}, aliases.vocabulary),
                -- a code, in whatever language, before the heading of many codes
                coalesce(codes.kind in ('chapter', 'block'), false),
                coalesce(aliases.language != asked.language, false),
                list_position(['preferred', 'exact', 'inclusion'], aliases.scope)
        ) as preference,
    from asked
    inner join {{ aliases or ref('dim_concept_alias') }} as aliases
        on
            asked.name_key = aliases.alias_normalised
            and list_contains(['preferred', 'exact', 'inclusion'], aliases.scope)
            and list_contains({{ vocabulary_list }}, aliases.vocabulary)
    left join {{ codes or ref('dim_icd10_code') }} as codes
        on if(aliases.vocabulary = 'icd10cm', aliases.concept_id, null) = codes.code
),

-- a category and its only code often share their title
name_lines as (
    select
        mention_id,
        count(distinct concept_id) as n_concepts,
        min(path) as shortest_path,
    from named
    where preference = 1
    group by all
),

one_name as (
    select
        named.mention_id,
        bool_and(
            coalesce(starts_with(named.path || ' ', name_lines.shortest_path || ' '), false)
        ) or max(name_lines.n_concepts) = 1 as is_one,
        arg_min(named.concept_id, (coalesce(length(named.path), 0), named.concept_id))
            as concept_id,
        arg_min(named.alias, (coalesce(length(named.path), 0), named.concept_id)) as meaning,
        min(named.vocabulary) as vocabulary,
        list_sort(list(distinct named.concept_id)) as candidates,
    from named
    inner join name_lines on named.mention_id = name_lines.mention_id
    where named.preference = 1
    group by named.mention_id
),

by_name as (
    select
        mention_id,
        case when is_one then 'resolved' else 'ambiguous' end as status,
        case when is_one then 'name' else 'several_concepts' end as rule,
        case when is_one then concept_id end as concept_id,
        case when is_one then vocabulary end as vocabulary,
        case when is_one then meaning end as meaning,
        case when is_one then 'a name of it' else 'a name of several concepts' end as reason,
        candidates,
    from one_name
),

sensed as (
    select
        asked.mention_id,
        asked.context,
        asked.section,
        asked.sex,
        asked.age_years,
        asked.specialty,
        senses.abbreviation_key,
        senses.language,
        senses.expansion,
        senses.icd10_code,
        contains(asked.context, ' ' || {{ normalise_name("senses.expansion") }} || ' ')
            as is_spelled_out,
    from asked
    anti join by_name on asked.mention_id = by_name.mention_id
    inner join {{ senses or ref('dim_abbreviation_sense') }} as senses
        on
            asked.abbreviation_key = senses.abbreviation_key
            and coalesce(asked.language = senses.language, true)
),

weighed as (
    select
        sensed.mention_id,
        sensed.language,
        sensed.expansion,
        sensed.icd10_code,
        coalesce(sensed.is_spelled_out, false) as is_spelled_out,
        count(*) over (partition by sensed.mention_id) as n_senses,
        coalesce(sensed.section = 'diagnosis' and sensed.icd10_code is null, false)
        or coalesce(
            bool_or(
                (cues.cue_kind = 'sex' and cues.cue != sensed.sex)
                or (
                    cues.cue_kind = 'min_age_years' and sensed.age_years < try_cast(cues.cue as double)
                )
                or (
                    cues.cue_kind = 'max_age_years' and sensed.age_years > try_cast(cues.cue as double)
                )
            ),
            false
        ) as is_ruled_out,
        list_sort(
            list(cues.cue) filter (
                where
                (cues.cue_kind = 'word' and contains(sensed.context, cues.word_pattern))
                or (cues.cue_kind = 'section' and cues.cue = sensed.section)
                or (cues.cue_kind = 'specialty' and cues.cue = sensed.specialty)
            )
        ) as found_cues,
        coalesce(len(found_cues), 0) as n_cues,
    from sensed
    left join {{ cues or ref('bridge_abbreviation_cue') }} as cues
        on
            sensed.abbreviation_key = cues.abbreviation_key
            and sensed.language = cues.language
            and sensed.expansion = cues.expansion
    group by
        sensed.mention_id, sensed.language, sensed.expansion, sensed.icd10_code,
        sensed.is_spelled_out, sensed.section
),

ranked as (
    select
        mention_id,
        language,
        expansion,
        icd10_code,
        is_spelled_out,
        n_senses,
        found_cues,
        n_cues,
        count(*) over (partition by mention_id) as n_left,
        count_if(is_spelled_out) over (partition by mention_id) as n_spelled_out,
        lead(n_cues) over (partition by mention_id order by n_cues desc, expansion) as next_n_cues,
        row_number() over (
            partition by mention_id order by is_spelled_out desc, n_cues desc, expansion
        ) as place,
        row_number() over (partition by mention_id order by n_cues desc, expansion) as cue_place,
    from weighed
    where not is_ruled_out
),

decided as (
    select
        mention_id,
        language,
        expansion,
        icd10_code,
        case
            when n_senses = 1 then 'only_sense'
            when n_left = 1 then 'elimination'
            when n_spelled_out = 1 then 'expansion'
            when n_spelled_out > 1 then 'conflicting_cues'
            when n_cues = 0 then 'no_cue'
            when next_n_cues = 0 or n_cues >= next_n_cues + 2 then 'cues'
            else 'conflicting_cues'
        end as rule,
        found_cues,
    from ranked
    where case when n_spelled_out = 1 then place = 1 else cue_place = 1 end
),

candidate_lists as (
    select
        mention_id,
        list_sort(list(expansion)) as candidates,
    from weighed
    group by all
),

by_abbreviation as (
    select
        candidate_lists.mention_id,
        case
            when coalesce(decided.rule in ('no_cue', 'conflicting_cues'), true) then 'ambiguous'
            when decided.icd10_code is null then 'not_a_diagnosis'
            else 'resolved'
        end as status,
        coalesce(decided.rule, 'no_sense_fits') as rule,
        case when status = 'resolved' then decided.icd10_code end as concept_id,
        case when status = 'resolved' then 'icd10cm' end as vocabulary,
        case when status != 'ambiguous' then decided.expansion end as meaning,
        case coalesce(decided.rule, 'no_sense_fits')
            when 'only_sense' then 'its only meaning'
            when 'elimination' then 'sex, age or section rule every other meaning out'
            when 'expansion' then 'the case spells it out'
            when 'cues'
                then 'cues for it alone or two more: ' || array_to_string(decided.found_cues, ', ')
            when 'no_cue' then 'nothing in the case tells its meanings apart'
            when 'conflicting_cues' then 'the case speaks for several of its meanings'
            else 'no meaning fits sex, age and section'
        end as reason,
        candidate_lists.candidates,
    from candidate_lists
    left join decided on candidate_lists.mention_id = decided.mention_id
),

read as (
    select
        mention_id,
        status,
        rule,
        concept_id,
        vocabulary,
        meaning,
        reason,
        candidates,
    from by_name
    union all
    select
        mention_id,
        status,
        rule,
        concept_id,
        vocabulary,
        meaning,
        reason,
        candidates,
    from by_abbreviation
)

select
    asked.mention_id,
    coalesce(read.status, 'unknown') as status,
    coalesce(read.rule, 'unknown') as rule,
    read.concept_id,
    read.vocabulary,
    read.meaning,
    coalesce(read.reason, 'no terminology and no list of abbreviations has it') as reason,
    coalesce(read.candidates, []) as candidates,
from asked
left join read on asked.mention_id = read.mention_id
{%- endmacro %}
