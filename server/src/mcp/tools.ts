import { TOOL_BATCH_MAX } from '@kith/contract/limits'
import { isObject, parseJson } from '@kith/contract/raw-input'
import { abilitiesOfRaw } from '../batch/parse-batch.ts'
import type { MessageCost } from '../calls/call.ts'
import type { Tool } from './tool.ts'
import { listChangesTool, undoChangesTool } from './tools/changes.ts'
import { addCommentTool } from './tools/comments.ts'
import { createFieldTool, listFieldsTool, listMembersTool, updateFieldTool, whoamiTool } from './tools/fields.ts'
import { listFilesTool } from './tools/files.ts'
import { findDuplicatesTool, mergeRecordsTool, recordHistoryTool } from './tools/history.ts'
import {
  describeResourceTool,
  fetchTool,
  getRecordTool,
  listRecordsTool,
  searchTool,
  summarizeTool,
} from './tools/read-records.ts'
import { getTimelineTool } from './tools/timeline.ts'
import { listViewsTool } from './tools/views.ts'
import {
  batchRecordsTool,
  createRecordTool,
  deleteRecordTool,
  listTrashTool,
  restoreRecordTool,
  updateRecordTool,
  upsertRecordTool,
} from './tools/write-records.ts'

/** Every tool, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  whoamiTool,
  listMembersTool,
  searchTool,
  fetchTool,
  describeResourceTool,
  listRecordsTool,
  listViewsTool,
  getRecordTool,
  listFilesTool,
  addCommentTool,
  createRecordTool,
  updateRecordTool,
  upsertRecordTool,
  deleteRecordTool,
  batchRecordsTool,
  restoreRecordTool,
  getTimelineTool,
  recordHistoryTool,
  listChangesTool,
  undoChangesTool,
  listTrashTool,
  findDuplicatesTool,
  mergeRecordsTool,
  summarizeTool,
  listFieldsTool,
  createFieldTool,
  updateFieldTool,
]

export function toolNamed(name: unknown): Tool | undefined {
  return tools.find((tool) => tool.name === name)
}

const READ: MessageCost = { kind: 'read', items: 0, abilities: [], any_of: [] }

/** Decides the rate limit and the lane: calls of tools that change data are writes, all else is a read. */
export function costOfMessage(body: string): MessageCost {
  const message = parseJson(body)
  // An invalid message counts as a read; the protocol library reports the error.
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params)) return READ
  const tool = toolNamed(message.params.name)
  if (!tool) return READ
  const needed = { abilities: tool.abilities, any_of: tool.anyOf ?? [] }
  if (tool.annotations.readOnlyHint) return { ...READ, ...needed }
  const { counted } = tool
  const sent = counted && isObject(message.params.arguments) ? message.params.arguments[counted] : undefined
  if (!Array.isArray(sent)) return { kind: 'write', items: 1, ...needed }
  // What is more is refused, so it needs no check.
  const some = sent.slice(0, TOOL_BATCH_MAX)
  const cost = { kind: 'write', items: Math.max(1, some.length) } as const
  const abilities = abilitiesOfRaw(some)
  // Readable operations determine the needed abilities exactly.
  return abilities.length > 0 ? { ...cost, abilities, any_of: [] } : { ...cost, ...needed }
}
