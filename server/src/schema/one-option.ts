import { excerpt } from '@kith/contract/excerpt'
import type { FieldOption } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import { newId, parseId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { OPTION_LABEL_MAX, OPTIONS_MAX } from '@kith/contract/limits'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { OptionObject } from '@kith/contract/schema'
import {
  colorAt,
  isOptionColor,
  optionColors,
  parseLine,
  parseSent,
  parseWhole,
  type SentKeys,
  taken,
  typesThat,
} from '../fields/options.ts'
import type { Scope } from '../scope/scope.ts'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import { countOptionHolders } from '../storage/tables/field-values.ts'
import { requireActive, storeField } from './define.ts'
import { changeFields, type FieldAddress, findField, refuseField } from './managed.ts'

/** Which option is meant. */
export type OptionAddress = FieldAddress & { option_id: string }

/** Adds an option to a field. If the label exists, in any letter case, returns that option unchanged. */
export function createOption(
  scope: Scope,
  address: FieldAddress,
  input: unknown,
): Promise<{ option: OptionObject; created: boolean }> {
  return changeFields(scope, 'create', async (inside) => {
    const { field, others } = await findChoices(inside, address)
    const { sent, issues, report } = reading(address, input, ['label', 'color'])
    if (!sent.has('label')) report('label', 'The label is required.')
    const label = taken({ sent, key: 'label', before: '' }, (raw) => parseLabel(raw, report))
    const color = taken({ sent, key: 'color', before: colorAt(field.options.length) }, (raw) => parseColor(raw, report))
    const existing = labelled(field, label)
    if (!existing && field.options.length >= OPTIONS_MAX) {
      report('label', `The field ${field.code} has ${OPTIONS_MAX} options already and cannot have more.`)
    }
    refuseIfAny(issues)
    if (existing) return { option: optionObject(field, existing), created: false }
    const option = { id: newId(inside.now().getTime()), label, color }
    const wanted = { ...field, options: [...field.options, option] }
    const stored = await storeField(inside, { before: field, wanted, others })
    return { option: optionObject(stored, option), created: true }
  })
}

/** Changes the label, the colour or the position of an option. Its id stays. */
export function updateOption(scope: Scope, address: OptionAddress, input: unknown): Promise<OptionObject> {
  return changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findChoices(inside, address)
    const before = findOption(field, address)
    const { sent, issues, report } = reading(address, input, ['label', 'color', 'position'])
    const label = taken({ sent, key: 'label', before: before.label }, (raw) => parseLabel(raw, report))
    const color = taken({ sent, key: 'color', before: before.color }, (raw) => parseColor(raw, report))
    const place = taken({ sent, key: 'position', before: placeOf(field, before) }, (raw) =>
      parseWhole(raw, { key: 'position', from: 1, to: OPTIONS_MAX }, report),
    )
    const holder = labelled(field, label)
    if (holder && holder.id !== before.id) report('label', `The field has another option "${excerpt(holder.label)}".`)
    refuseIfAny(issues)
    const option = { id: before.id, label, color }
    const rest = field.options.filter(({ id }) => id !== option.id)
    const wanted = { ...field, options: rest.toSpliced(place - 1, 0, option) }
    return optionObject(await storeField(inside, { before: field, wanted, others }), option)
  })
}

/** Removes an option and clears it from all records. Returns how many live records had it. */
export function removeOption(scope: Scope, address: OptionAddress): Promise<number> {
  return changeFields(scope, 'delete', async (inside) => {
    const { field, others } = await findChoices(inside, address)
    const gone = findOption(field, address)
    refuseIfAny([...(address.issues ?? [])])
    const wanted = { ...field, options: field.options.filter(({ id }) => id !== gone.id) }
    await storeField(inside, { before: field, wanted, others })
    // The records are cleared before the request is answered, one step after the other.
    return countOptionHolders(inside, field.number, gone.id)
  })
}

/** The field, which must be active and have options. */
async function findChoices(inside: Scope, address: FieldAddress): ReturnType<typeof findField> {
  const found = await findField(inside, address)
  const { code, type } = found.field
  requireActive(found.field)
  if (!fieldTypes[type].hasOptions) {
    const types = typesThat((one) => one.hasOptions === true)
    refuseField(`The field ${code} is a ${type} field, which has no options. Types that have: ${types}.`)
  }
  return found
}

function findOption(field: StoredField, { option_id }: OptionAddress): FieldOption {
  const option = field.options.find(({ id }) => id === parseId(option_id))
  if (option) return option
  const message = `The field ${field.code} of the ${field.entity_type} has no option with the ID ${excerpt(option_id)}.`
  return refuse({ kind: 'not_found', message })
}

function reading(
  { issues: before = [] }: FieldAddress,
  input: unknown,
  accepted: readonly string[],
): { sent: SentKeys; issues: Issue[]; report: Report } {
  const issues: Issue[] = [...before]
  const report = reportInto(issues)
  return { sent: parseSent(input, { accepted }, report), issues, report }
}

function parseLabel(raw: unknown, report: Report): string | undefined {
  return parseLine(raw, { key: 'label', max: OPTION_LABEL_MAX }, report)
}

function parseColor(raw: unknown, report: Report): string | null | undefined {
  if (raw === null || isOptionColor(raw)) return raw
  report('color', `The color must be null or one of: ${optionColors.join(', ')}.`)
  return undefined
}

function labelled({ options }: StoredField, label: string): FieldOption | undefined {
  return options.find((option) => fold(option.label) === fold(label))
}

/** Counted from 1. */
function placeOf({ options }: StoredField, { id }: FieldOption): number {
  return options.findIndex((option) => option.id === id) + 1
}

function optionObject(field: StoredField, option: FieldOption): OptionObject {
  const { id, label, color } = option
  return { id, type: 'options', attributes: { label, color, position: placeOf(field, option) } }
}
