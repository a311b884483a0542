import { suggestion } from '@kith/contract/nearest'
import { Refusal, refuse, refuseValue } from '@kith/contract/refusal'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import type { Scope } from '../scope/scope.ts'
import { OutOfTime, slowRequest } from '../scope/time-limit.ts'
import { boundedAnswer } from './bounded-answer.ts'
import { refusalText } from './refusal-text.ts'
import { estimateTokens, TOKENS_MAX } from './tokens.ts'
import { type Installation, isAllowed, type Tool } from './tool.ts'
import { parseToolInput } from './tool-input.ts'
import { toolNamed, tools } from './tools.ts'

type ToolAnswer = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/** Runs a tool. A refusal is returned as an error message; a bug is thrown. */
export async function callTool(
  scope: Scope,
  { name, input }: { name: string; input: unknown },
  installation: Installation,
): Promise<ToolAnswer> {
  // An error of the protocol, and not of a tool.
  const tool = toolNamed(name) ?? refuseUnknown(name, scope)
  try {
    refuseUnlessAllowed(tool, scope)
    const structured = await tool.run(scope, parseToolInput(tool, input), installation)
    // Clients without support for structured content read the text.
    const text = boundedAnswer(structured)
    if (tool.annotations.readOnlyHint) refuseTooLong(text)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    const refusal = error instanceof OutOfTime ? slowRequest(error) : error
    if (refusal instanceof Refusal) return { content: [{ type: 'text', text: refusalText(refusal) }], isError: true }
    throw error
  }
}

/** Only for tools that read: the answer to a write is sent in any case. */
function refuseTooLong(text: string): void {
  const tokens = estimateTokens(text)
  if (tokens <= TOKENS_MAX) return
  const message =
    `The answer would have about ${tokens} tokens, and can have ${TOKENS_MAX}. Ask for fewer records (per_page, ` +
    'limit), fewer relations (include) or fewer attributes (fields).'
  refuseValue('per_page', message)
}

function refuseUnknown(name: string, { actor }: Scope): never {
  const names = tools.filter((tool) => isAllowed(tool, actor)).map((tool) => tool.name)
  const message = `There is no tool ${name.slice(0, 100)}. Tools: ${names.join(', ')}.${suggestion(name, names)}`
  refuse({ kind: 'not_found', message })
}

/** Runs before the arguments are checked, as on every surface. */
function refuseUnlessAllowed(tool: Tool, scope: Scope): void {
  requireAbilities(scope, tool.abilities)
  if (!isAllowed(tool, scope.actor)) requireAbilities(scope, tool.anyOf ?? [])
  if (tool.permission !== undefined) requirePermission(scope, tool.permission)
}
