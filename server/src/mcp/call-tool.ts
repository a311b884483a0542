import { suggestion } from '@kith/contract/nearest'
import { Refusal, refuse } from '@kith/contract/refusal'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { sizeOf, TOOL_ANSWER_MAX_BYTES } from '../records/answer-size.ts'
import type { Scope } from '../scope/scope.ts'
import { OutOfTime, slowRequest } from '../scope/time-limit.ts'
import { refusalText } from './refusal-text.ts'
import { type Installation, isAllowed, type Tool } from './tool.ts'
import { parseToolInput } from './tool-input.ts'
import { toolNamed, tools } from './tools.ts'

export type ToolAnswer = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/** Runs a tool. What the caller can mend comes back as an error that says how; a bug is thrown. */
export async function callTool(
  scope: Scope,
  { name, input }: { name: string; input: unknown },
  installation: Installation,
): Promise<ToolAnswer> {
  try {
    const tool = toolNamed(name) ?? refuseUnknown(name, scope)
    refuseUnlessAllowed(tool, scope)
    const structured = await tool.run(scope, parseToolInput(tool, input), installation)
    // The text is for clients that know no structured content; it says the same.
    const text = JSON.stringify(structured)
    if (tool.annotations.readOnlyHint) refuseTooLarge(text)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    const refusal = error instanceof OutOfTime ? slowRequest(error) : error
    if (refusal instanceof Refusal) return { content: [{ type: 'text', text: refusalText(refusal) }], isError: true }
    throw error
  }
}

/** What a tool has written is done, and its answer is a single record. */
function refuseTooLarge(text: string): void {
  const bytes = sizeOf(text)
  if (bytes <= TOOL_ANSWER_MAX_BYTES) return
  const message = `The answer would have ${bytes} bytes, and can have ${TOOL_ANSWER_MAX_BYTES}. Ask for fewer records (per_page), fewer relations (include) or fewer attributes (fields).`
  refuse({ kind: 'invalid', issues: [{ path: 'per_page', message }] })
}

function refuseUnknown(name: string, { actor }: Scope): never {
  const names = tools.filter((tool) => isAllowed(tool, actor)).map((tool) => tool.name)
  const message = `There is no tool ${name.slice(0, 100)}. Tools: ${names.join(', ')}.${suggestion(name, names)}`
  refuse({ kind: 'not_found', message })
}

/** Before the arguments are looked at, as on every surface. */
function refuseUnlessAllowed(tool: Tool, scope: Scope): void {
  requireAbilities(scope, tool.abilities)
  if (tool.permission !== undefined) requirePermission(scope, tool.permission)
}
