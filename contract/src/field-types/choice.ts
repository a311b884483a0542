import { excerpt } from '../excerpt.ts'
import type { FieldDefinition, FieldOption } from '../field-definition.ts'
import type { Place } from '../field-type.ts'
import { fold } from '../fold.ts'

const LISTING_MAX = 4000

/** An option as it is read. */
export type Choice = { id: string; label: string }

/** The id of the option that was sent as its id, its label, or the object in which it is read. */
export function parseChoice(raw: unknown, { field, path, report }: Place): string | undefined {
  const { byId, byLabel } = choicesOf(field.options)
  const sent = typeof raw === 'string' ? raw.trim() : idIn(raw)
  const id = sent?.toLowerCase()
  if (id !== undefined && byId.has(id)) return id
  const labelled = typeof raw === 'string' ? byLabel.get(fold(raw.trim())) : undefined
  if (typeof labelled === 'string') return labelled
  report(path, labelled === null ? askForId(field, sent) : listOptions(field, sent))
  return undefined
}

/** The option of a stored id, unless it was deleted. */
export function choiceOf(id: string, { options, leaving = NONE }: FieldDefinition): Choice | undefined {
  return choicesOf(options).byId.get(id) ?? choicesOf(leaving).byId.get(id)
}

const NONE: readonly FieldOption[] = []

/** All options that a record may hold, in their order. */
export function heldOptions({ options, leaving = NONE }: FieldDefinition): readonly FieldOption[] {
  return [...options, ...leaving]
}

/** The label of the first option, so that an example works as it is. */
export function exampleLabel(options: readonly FieldOption[]): string {
  return options[0]?.label ?? 'Label of an option'
}

/** `byLabel` has ids by folded label, null where several options share it. */
type Choices = { byId: Map<string, Choice>; byLabel: Map<string, string | null> }

/** Labels are folded once per definition: folding them for every record is slow. */
const known = new WeakMap<readonly FieldOption[], Choices>()

function choicesOf(options: readonly FieldOption[]): Choices {
  let choices = known.get(options)
  if (choices === undefined) {
    choices = lookUp(options)
    known.set(options, choices)
  }
  return choices
}

function lookUp(options: readonly FieldOption[]): Choices {
  const byId = new Map<string, Choice>()
  const byLabel = new Map<string, string | null>()
  for (const { id, label } of options) {
    const key = fold(label.trim())
    byId.set(id, { id, label })
    byLabel.set(key, byLabel.has(key) ? null : id)
  }
  return { byId, byLabel }
}

/** The id in `{id, label}`. The label is ignored: it may be an old one. */
function idIn(raw: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null || !('id' in raw) || typeof raw.id !== 'string') return undefined
  const known = Object.keys(raw).every((key) => OPTION_KEYS.includes(key))
  return known ? raw.id.trim() : undefined
}

const OPTION_KEYS: readonly string[] = ['id', 'label', 'color', 'probability']

function askForId(field: FieldDefinition, sent = ''): string {
  return `The ${field.name} has more than one option "${excerpt(sent)}". Send the ID of the option instead.`
}

function listOptions(field: FieldDefinition, sent: string | undefined): string {
  if (field.options.length === 0) return `The ${field.name} has no options yet.`
  const finding = sent === undefined ? 'Send a label or an ID as a string.' : `"${excerpt(sent)}" is not one of them.`
  return `The ${field.name} must be one of: ${labelsOf(field.options)}. ${finding}`
}

function labelsOf(options: readonly FieldOption[]): string {
  let listing = ''
  for (const [position, { label }] of options.entries()) {
    if (listing.length + label.length > LISTING_MAX) return `${listing} and ${options.length - position} more`
    listing += position === 0 ? label : `, ${label}`
  }
  return listing
}
