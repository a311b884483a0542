import { suggestion } from '@kith/contract/nearest'
import { Refusal, refuse, refuseValue } from '@kith/contract/refusal'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { sizeOf, TOOL_ANSWER_MAX_BYTES } from '../records/answer-size.ts'
import type { Scope } from '../scope/scope.ts'
import { OutOfTime, slowRequest } from '../scope/time-limit.ts'
import { refusalText } from './refusal-text.ts'
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
  try {
    const tool = toolNamed(name) ?? refuseUnknown(name, scope)
    refuseUnlessAllowed(tool, scope)
    const structured = await tool.run(scope, parseToolInput(tool, input), installation)
    // Clients without support for structured content read the text.
    const text = JSON.stringify(structured)
    if (tool.annotations.readOnlyHint) refuseTooLarge(text)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    const refusal = error instanceof OutOfTime ? slowRequest(error) : error
    if (refusal instanceof Refusal) return { content: [{ type: 'text', text: refusalText(refusal) }], isError: true }
    throw error
  }
}

/** Only for tools that read: the answer to a write is a single record. */
function refuseTooLarge(text: string): void {
  const bytes = sizeOf(text)
  if (bytes <= TOOL_ANSWER_MAX_BYTES) return
  const message =
    `The answer would have ${bytes} bytes, and can have ${TOOL_ANSWER_MAX_BYTES}. Ask for fewer records ` +
    '(per_page), fewer relations (include) or fewer attributes (fields).'
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
