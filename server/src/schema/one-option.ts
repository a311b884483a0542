import { excerpt } from '@kith/contract/excerpt'
import { type FieldOption, newOption, type Option, optionChange } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import { newId, parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { OPTIONS_MAX } from '@kith/contract/limits'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { readObject, readSent } from '@kith/contract/shape'
import { colorAt, typesThat } from '../fields/options.ts'
import type { Scope } from '../scope/scope.ts'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import { countOptionHolders } from '../storage/tables/field-values.ts'
import { requireActive, storeField } from './define.ts'
import { changeFields, type FieldAddress, findField, refuseField } from './managed.ts'

type OptionObject = { id: string; type: 'options'; attributes: Option }

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
    const issues: Issue[] = [...(address.issues ?? [])]
    const report = reportInto(issues)
    const { label, color = colorAt(field.options.length), probability } = readObject(input, newOption, report)
    const existing = labelled(field, label)
    if (!existing && field.options.length >= OPTIONS_MAX) {
      report('label', `The field ${field.code} has ${OPTIONS_MAX} options already and cannot have more.`)
    }
    refuseIfAny(issues)
    if (existing) return { option: optionObject(field, existing), created: false }
    const option = { id: newId(inside.now().getTime()), label, color, ...known(probability) }
    const wanted = { ...field, options: [...field.options, option] }
    const stored = await storeField(inside, { before: field, wanted, others })
    return { option: optionObject(stored, option), created: true }
  })
}

/** Changes the label, the colour, the probability or the position of an option. Its id stays. */
export function updateOption(scope: Scope, address: OptionAddress, input: unknown): Promise<OptionObject> {
  return changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findChoices(inside, address)
    const before = findOption(field, address)
    const issues: Issue[] = [...(address.issues ?? [])]
    const sent = readSent(input, optionChange, reportInto(issues))
    const { label = before.label, color = before.color, position = placeOf(field, before) } = sent
    const { probability = before.probability } = sent
    const holder = labelled(field, label)
    if (holder && holder.id !== before.id)
      issues.push({ path: 'label', message: `The field has another option "${excerpt(holder.label)}".` })
    refuseIfAny(issues)
    const option = { id: before.id, label, color, ...known(probability) }
    const rest = field.options.filter(({ id }) => id !== option.id)
    const wanted = { ...field, options: rest.toSpliced(position - 1, 0, option) }
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

function labelled({ options }: StoredField, label: string): FieldOption | undefined {
  return options.find((option) => fold(option.label) === fold(label))
}

/** It is stored and shown only if it is set. */
function known(probability: number | null | undefined): { probability?: number } {
  return typeof probability === 'number' ? { probability } : {}
}

/** Counted from 1. */
function placeOf({ options }: StoredField, { id }: FieldOption): number {
  return options.findIndex((option) => option.id === id) + 1
}

function optionObject(field: StoredField, option: FieldOption): OptionObject {
  const { id, label, color, probability } = option
  return { id, type: 'options', attributes: { label, color, position: placeOf(field, option), ...known(probability) } }
}
