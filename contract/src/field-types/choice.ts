import { excerpt } from '../excerpt.ts'
import type { FieldDefinition, FieldOption } from '../field-definition.ts'
import type { Place } from '../field-type.ts'
import { fold } from '../fold.ts'

const LISTING_MAX = 4000

/** An option with its position and its wire form. */
export type Choice = { position: number; wire: { id: string; label: string } }

/** The id of the option that was sent as its id, its label, or the object in which it is read. */
export function parseChoice(raw: unknown, { field, path, report }: Place): string | undefined {
  const { byId, byLabel } = choicesOf(field)
  const sent = typeof raw === 'string' ? raw.trim() : idIn(raw)
  const id = sent?.toLowerCase()
  if (id !== undefined && byId.has(id)) return id
  const labelled = typeof raw === 'string' ? byLabel.get(fold(raw.trim())) : undefined
  if (typeof labelled === 'string') return labelled
  report(path, labelled === null ? askForId(field, sent) : listOptions(field, sent))
  return undefined
}

/** An option by its stored id, unless it was deleted. */
export function choiceOf(id: string, field: FieldDefinition): Choice | undefined {
  return choicesOf(field).byId.get(id)
}

/** The label of the first option, so that an example works as it is. */
export function exampleLabel(options: readonly FieldOption[]): string {
  return options[0]?.label ?? 'Label of an option'
}

/** `byLabel` has ids by folded label, null where several options share it. */
type Choices = { byId: Map<string, Choice>; byLabel: Map<string, string | null> }

/** Labels are folded once per definition: folding them for every record is slow. */
const known = new WeakMap<readonly FieldOption[], Choices>()

function choicesOf(field: FieldDefinition): Choices {
  let choices = known.get(field.options)
  if (choices === undefined) {
    choices = lookUp(field.options)
    known.set(field.options, choices)
  }
  return choices
}

function lookUp(options: readonly FieldOption[]): Choices {
  const byId = new Map<string, Choice>()
  const byLabel = new Map<string, string | null>()
  options.forEach(({ id, label }, position) => {
    const key = fold(label.trim())
    byId.set(id, { position, wire: { id, label } })
    byLabel.set(key, byLabel.has(key) ? null : id)
  })
  return { byId, byLabel }
}

/** The id in `{id, label}`. The label is ignored: it may be an old one. */
function idIn(raw: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null || !('id' in raw) || typeof raw.id !== 'string') return undefined
  const known = Object.keys(raw).every((key) => key === 'id' || key === 'label' || key === 'color')
  return known ? raw.id.trim() : undefined
}

function askForId(field: FieldDefinition, sent = ''): string {
  return `The ${field.name} has more than one option "${excerpt(sent)}". Send the ID of the option instead.`
}

function listOptions(field: FieldDefinition, sent: string | undefined): string {
  if (field.options.length === 0) return `The ${field.name} has no options yet.`
  const finding = sent === undefined ? 'Send a label or an ID as a string.' : `"${excerpt(sent)}" is none of them.`
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
