import { suggestion } from '@kith/contract/nearest'
import { refuse } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { summarizeWorkspace } from './workspace-summary.ts'

/** The one prompt: an overview of the workspace. */
export const overviewPrompt = {
  name: 'overview',
  title: 'Overview of the workspace',
  description: 'An overview: the pipeline, what is due, what happened lately.',
  arguments: [
    { name: 'focus', description: 'What to look at more closely: a company, a person, a topic.', required: false },
  ],
} as const

export async function readPrompt(scope: Scope, name: string, given: Readonly<Record<string, string>>) {
  if (name !== overviewPrompt.name) {
    const message =
      `There is no prompt ${name.slice(0, 100)}. Known: ` +
      `${overviewPrompt.name}.${suggestion(name, [overviewPrompt.name])}`
    refuse({ kind: 'not_found', message })
  }
  const summary = await summarizeWorkspace(scope)
  const text = [
    `Give me an overview of the workspace ${summary.workspace.name}.`,
    ...(given.focus ? [`Look more closely at: ${given.focus}.`] : []),
    '',
    'What it holds:',
    ...summary.resources.map(({ resource, records, custom_fields }) => {
      return `- ${resource}: ${records} (custom fields: ${custom_fields.join(', ') || 'none'})`
    }),
    '',
    `I am ${summary.user.name} (user ID ${summary.user.id}), ${summary.role} of it.`,
    '',
    'Tell me, in short sections, with names and figures and without IDs:',
    '1. Opportunities: how many and how much by stage, and those that close next.',
    '2. Tasks: what is overdue or due within a week, mine first.',
    '3. What changed lately: new companies and people, and the latest notes.',
    '4. What I should do next.',
    'Read only; change nothing. Leave a section out where there is nothing to tell.',
  ].join('\n')
  return {
    description: overviewPrompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}
