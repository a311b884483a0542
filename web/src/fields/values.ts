import type { WireValue } from '@kith/contract/field-type'

export type Choice = { id: string; label: string }

/** Values by their type; an unset or unexpected value reads as nothing. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function choiceIn(value: unknown): Choice | undefined {
  return isChoice(value) ? value : undefined
}

export function choicesIn(value: unknown): Choice[] {
  return Array.isArray(value) ? value.filter(isChoice) : []
}

/** The id of an option, or of a record or member that a field names. */
export function idIn(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'id' in value ? textIn(value.id) : undefined
}

export function isUnset(value: WireValue | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function isChoice(value: unknown): value is Choice {
  return typeof value === 'object' && value !== null && 'id' in value && 'label' in value
}
