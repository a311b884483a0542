import { excerpt } from '@kith/contract/excerpt'
import type { FieldOption } from '@kith/contract/field-definition'
import { fold } from '@kith/contract/fold'
import { parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { parseOptionList, type SentOption } from './options.ts'
import { parseSent, type Sent } from './sent.ts'

export const optionKeys = ['options', 'add_options', 'remove_options', 'rename_options']

/** The requested options of a field: a whole list, or changes of the current one. Undefined if neither was sent. */
export function wantedOptions(sent: Sent, before: readonly FieldOption[], report: Report): SentOption[] | undefined {
  const edits = optionKeys.filter((key) => key !== 'options' && sent.has(key))
  if (!sent.has('options')) return edits.length === 0 ? undefined : edited(sent, before, report)
  for (const key of edits) report(key, `Send either options or ${key}, not both.`)
  return parseOptionList(sent.get('options'), 'options', report)
}

function edited(sent: Sent, before: readonly FieldOption[], report: Report): SentOption[] {
  const renamed = renamings(sent, before, report)
  const removed = removals(sent, before, report)
  const left = before.filter((option) => !removed.has(option.id))
  const kept = left.map(({ id, label }): SentOption => {
    const change = renamed.get(id)
    return {
      raw: { id, label: change?.raw ?? label },
      path: change?.path ?? `options.${before.findIndex((option) => option.id === id)}`,
    }
  })
  return [...kept, ...(parseOptionList(sent.get('add_options') ?? [], 'add_options', report) ?? [])]
}

/** The new labels by the id of the option, each with its place in the input. */
function renamings(sent: Sent, before: readonly FieldOption[], report: Report): Map<string, SentOption> {
  const renamed = new Map<string, SentOption>()
  for (const { raw, path } of parseOptionList(sent.get('rename_options') ?? [], 'rename_options', report) ?? []) {
    const change = parseSent(raw, { accepted: ['from', 'to'], path }, report)
    const option =
      change.has('from') || change.has('to')
        ? optionNamed(change.get('from'), { options: before, path }, report)
        : undefined
    if (option) renamed.set(option.id, { raw: change.get('to') ?? null, path })
  }
  return renamed
}

function removals(sent: Sent, before: readonly FieldOption[], report: Report): Set<string> {
  const removed = new Set<string>()
  for (const { raw, path } of parseOptionList(sent.get('remove_options') ?? [], 'remove_options', report) ?? []) {
    const option = optionNamed(raw, { options: before, path }, report)
    if (option) removed.add(option.id)
  }
  return removed
}

/** The option that a caller means by its id or its label. */
function optionNamed(
  raw: unknown,
  { options, path }: { options: readonly FieldOption[]; path: string },
  report: Report,
): FieldOption | undefined {
  const name = typeof raw === 'string' ? raw.trim() : ''
  const option =
    options.find((candidate) => candidate.id === parseId(name)) ??
    options.find((candidate) => fold(candidate.label) === fold(name))
  if (!option) {
    const labels =
      options.length === 0 ? 'The field has no options.' : `It has: ${options.map(({ label }) => label).join(', ')}.`
    report(path, `The field has no option "${excerpt(name)}". ${labels}`)
  }
  return option
}
