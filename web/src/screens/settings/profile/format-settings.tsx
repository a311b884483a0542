import { type FormatName, type Formats, formatChoices } from '@kith/contract/app/formats'
import { useMutation } from '@tanstack/react-query'
import { updateFormats } from '../../../api/account.ts'
import { problemsOf } from '../../../api/problems.ts'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Select } from '../../../components/select.tsx'
import { useFormats } from '../../../format/formats.ts'
import { formatMoment } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'

const fields: readonly { name: FormatName; label: string }[] = [
  { name: 'numbers', label: 'Numbers' },
  { name: 'dates', label: 'Dates' },
  { name: 'hours', label: 'Time of day' },
  { name: 'first_day', label: 'First day of the week' },
]

const words: Readonly<Record<string, string>> = {
  auto: 'Like the browser',
  '12': '12 hours',
  '24': '24 hours',
  monday: 'Monday',
  saturday: 'Saturday',
  sunday: 'Sunday',
  'd mmm yyyy': '31 Dec 2026',
  'mmm d, yyyy': 'Dec 31, 2026',
  'dd/mm/yyyy': '31/12/2026',
  'mm/dd/yyyy': '12/31/2026',
  'dd.mm.yyyy': '31.12.2026',
  'yyyy-mm-dd': '2026-12-31',
}

/** How numbers and dates look to this user. A choice is stored at once. */
export function FormatSettings() {
  const stored = useFormats()
  const saving = useMutation({ mutationFn: updateFormats })
  const formats = saving.isPending ? saving.variables : stored
  // Each select offers the choices of its own format only.
  const choose = (name: FormatName, value: string) => saving.mutate({ ...formats, [name]: value } as Formats)
  return (
    <div className="grid max-w-130 gap-4 sm:grid-cols-2">
      {fields.map(({ name, label }) => (
        <FormField key={name} label={label}>
          <Select
            value={formats[name]}
            onValueChange={(value) => choose(name, value)}
            choices={formatChoices[name].map((value) => ({ value, label: words[value] ?? value }))}
          />
        </FormField>
      ))}
      <p className="text-sm text-quiet sm:col-span-2">
        Example: {formatNumber(1234567.5)}, {formatMoment('2026-12-31T16:05:00Z')}
      </p>
      <FormProblem text={problemsOf(saving.error, []).general} />
    </div>
  )
}
