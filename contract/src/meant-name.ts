import { nearest } from './nearest.ts'
import { CUSTOM_FIELDS, type Resource } from './resource.ts'

/** What other systems call the name of a record, or a part of it. */
const NAMES: ReadonlySet<string> = new Set([
  ...[
    'name',
    'title',
    'subject',
    'label',
    'first_name',
    'last_name',
    'full_name',
    'given_name',
    'family_name',
    'surname',
  ],
])

const WORD_MAX = 100

/**
 * "Did you mean custom_fields.emails?" or nothing, for a name that a resource does not have: a typing error of an
 * accepted name, or what other systems call a custom field or the name of a record.
 */
export function meantName(sent: string, resource: Resource, accepted: readonly string[]): string {
  const near = nearest(sent, accepted)
  const code = near === undefined ? meantCode(sent, resource) : undefined
  const meant = near ?? (code === undefined ? otherName(sent, resource, accepted) : CUSTOM_FIELDS + code)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** The code of a custom field that a name stands for: `emails` for `Email`, `job_title` for `title`. */
export function meantCode(sent: string, { fields }: Resource): string | undefined {
  const codes = [...fields.byCode.keys()]
  return nearest(sent, codes) ?? withWords(sent, codes)
}

/** Where to look for a name under `custom_fields` that is no code. */
export function outsideFields(sent: string, resource: Resource): string | undefined {
  const { attributes, links } = resource
  return Object.hasOwn(attributes, sent) || Object.hasOwn(links, sent) ? sent : labelFor(sent, resource)
}

function otherName(sent: string, resource: Resource, accepted: readonly string[]): string | undefined {
  return labelFor(sent, resource) ?? withWords(sent, accepted)
}

function labelFor(sent: string, { label }: Resource): string | undefined {
  return NAMES.has(wordsOf(sent).join('_')) ? label : undefined
}

/** The only name that has all words of the sent one. */
function withWords(sent: string, names: readonly string[]): string | undefined {
  const words = wordsOf(sent)
  if (words.length === 0) return undefined
  const found = names.filter((name) => words.every((word) => wordsOf(name).includes(word)))
  return found.length === 1 ? found[0] : undefined
}

/** `firstName` has the words of `first_name`, and `email` those of `emails`. */
function wordsOf(name: string): string[] {
  if (name.length > WORD_MAX) return []
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
  return (words.match(/[a-z0-9]+/g) ?? []).map((word) => word.replace(/(?<=..)s$/, ''))
}
