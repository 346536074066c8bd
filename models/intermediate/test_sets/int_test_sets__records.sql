-- Generated and imported records in one layout; `by name`, because a generated record lacks half of
-- what an import may bring.
with generated as (
    select
        test_set,
        source_row as record_number,
        'generated' as source_file,
        'generated' as source_hash,
        'urg' as source_format,
        source_row as source_line,
        'es' as language,
        'source' as frame,
        motivo_consulta as reason,
        enfermedad_actual as history,
        antecedentes as background,
        exploracion as examination,
        exploracion_compl as complementary,
        sexo as sex,
        edad as age,
        ta_max,
        ta_min,
        frec_cardiaca,
        temperatura,
        sat_oxigeno,
        glucemia,
        diuresis,
        juicio_diagnostico as judgement,
        diag_cie as icd10_code,
        motivo_alta_ingreso as discharge_reason,
        est_planta as ward_days,
        est_uci as icu_days,
        false as is_for_reading,
        false as contains_phi,
    from {{ ref('int_test_sets__emergency_records') }}
),

imported as (
    select
        * replace (
            -- what was imported before there was a choice, or by another command
            coalesce(
                frame, if(source_format in ('urg', 'rarebench', 'phenopacket'), 'source', 'plain')
            ) as frame,
            coalesce(is_for_reading, false) as is_for_reading
        ),
    from {{ ref('stg_cases__record') }}
),

final as (
    select * from generated
    union all by name
    select * from imported
)

-- the import decides the layout
select * from final  -- noqa: AM04
