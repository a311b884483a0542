import type { Tool } from './tool.ts'
import { batchRecordsTool } from './tools/batch-records.ts'
import { createFieldTool, listFieldsTool, updateFieldTool } from './tools/fields.ts'
import { listChangesTool, recordHistoryTool } from './tools/history.ts'
import { findDuplicatesTool, mergeRecordsTool } from './tools/merge.ts'
import { describeResourceTool, getRecordTool, listRecordsTool, summarizeTool } from './tools/read-records.ts'
import { fetchTool, searchTool } from './tools/search.ts'
import { listTrashTool, restoreRecordTool } from './tools/trash.ts'
import { listMembersTool, whoamiTool } from './tools/workspace.ts'
import { createRecordTool, deleteRecordTool, updateRecordTool, upsertRecordTool } from './tools/write-records.ts'

/** Every tool, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  whoamiTool,
  listMembersTool,
  searchTool,
  fetchTool,
  describeResourceTool,
  listRecordsTool,
  getRecordTool,
  createRecordTool,
  updateRecordTool,
  upsertRecordTool,
  deleteRecordTool,
  batchRecordsTool,
  restoreRecordTool,
  recordHistoryTool,
  listChangesTool,
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
