with examples as (
    select unnest([
        {
            candidate: 'Start clopidogrel 75mg daily',
            target: 'Clopidogrel',
            language: 'en',
            expected: true
        },
        {
            candidate: 'The diagnosis is cholesterol embolization syndrome',
            target: 'Cholesterol embolization',
            language: 'en',
            expected: true
        },
        {
            candidate: 'reassure the patient and provide continuous cardiac monitoring',
            target: 'Reassurance and continuous monitoring',
            language: 'en',
            expected: true
        },
        {
            candidate: 'Acute myocardial infarction',
            target: 'Pulmonary embolism',
            language: 'en',
            expected: false
        },
        {
            candidate: 'some text',
            target: '',
            language: 'en',
            expected: false
        },
        {
            candidate: '',
            target: 'Pulmonary embolism',
            language: 'en',
            expected: false
        },
        {
            candidate: ' ',
            target: 'Pulmonary embolism',
            language: 'en',
            expected: false
        },
        {
            candidate: 'An',
            target: 'Anemia of chronic disease',
            language: 'en',
            expected: false
        },
        {
            candidate: 'no',
            target: 'Bleeding from the nose',
            language: 'en',
            expected: false
        },
        {
            candidate: 'Bleeding from the nose',
            target: 'No',
            language: 'en',
            expected: false
        },
        {
            candidate: 'A',
            target: 'Vitamin A deficiency',
            language: 'en',
            expected: false
        },
        {
            candidate: 'Acute',
            target: 'Acute interstitial nephritis',
            language: 'en',
            expected: false
        },
        {
            candidate: 'Pulmonary embolism',
            target: 'Acute pulmonary embolism',
            language: 'en',
            expected: true
        },
        {
            candidate: 'Clopidogrel',
            target: 'Clopidogrel 75 mg daily',
            language: 'en',
            expected: true
        },
        {
            candidate: 'No appendicitis',
            target: 'Appendicitis',
            language: 'en',
            expected: false
        },
        {
            candidate: 'Appendicitis',
            target: 'No treatment is needed',
            language: 'en',
            expected: false
        },
        {
            candidate: 'Treatment is needed now',
            target: 'No treatment needed',
            language: 'en',
            expected: false
        },
        {
            candidate: 'pH 0.5 was measured',
            target: '5',
            language: 'en',
            expected: false
        },
        {
            candidate: 'alkylating agents cross-link DNA strands',
            target: 'Cross-linking of DNA',
            language: 'en',
            expected: true
        },
        {
            candidate: 'Serum sodium ↓',
            target: 'Decreased sodium',
            language: 'en',
            expected: true
        },
        {
            candidate: 'tranquilizar y vigilar de forma continua',
            target: 'Vigilancia continua',
            language: 'es',
            expected: true
        },
        {
            candidate: 'Infarto agudo de miocardio',
            target: 'Embolia pulmonar',
            language: 'es',
            expected: false
        },
        {
            candidate: 'Peritonitis bacteriana espontanea',
            target: 'Peritonitis bacteriana espontánea',
            language: 'es',
            expected: true
        },
        {
            candidate: 'Sin tratamiento',
            target: 'Tratamiento antibiótico',
            language: 'es',
            expected: false
        }
    ], recursive := true)
),

matched as (
    select
        candidate,
        target,
        expected,
        {{ fuzzy_match("candidate", "target", 0.6, "language") }} as found,
    from examples
)

select
    candidate,
    target,
    expected,
    found,
from matched
where found is null or found != expected
