import type { Field } from '../api/fields.ts'
import type { ComboboxItem } from '../components/combobox.tsx'

export function colorOf(field: Field, optionId: string): string | null {
  return field.options.find(({ id }) => id === optionId)?.color ?? null
}

/** The options of a field, to pick from. */
export function optionItems(field: Pick<Field, 'options'>): ComboboxItem[] {
  return field.options.map(({ id, label, color }) => ({
    value: id,
    label,
    icon: <span data-tint={color ?? 'gray'} className="size-2.5 rounded-full border border-current" />,
  }))
}
