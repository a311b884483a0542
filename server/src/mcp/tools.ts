import type { Tool } from './tool.ts'
import { batchRecordsTool } from './tools/batch-records.ts'
import { createFieldTool } from './tools/create-field.ts'
import { createRecordTool } from './tools/create-record.ts'
import { deleteRecordTool } from './tools/delete-record.ts'
import { describeResourceTool } from './tools/describe-resource.ts'
import { fetchTool } from './tools/fetch.ts'
import { findDuplicatesTool } from './tools/find-duplicates.ts'
import { getRecordTool } from './tools/get-record.ts'
import { listChangesTool } from './tools/list-changes.ts'
import { listFieldsTool } from './tools/list-fields.ts'
import { listMembersTool } from './tools/list-members.ts'
import { listRecordsTool } from './tools/list-records.ts'
import { listTrashTool } from './tools/list-trash.ts'
import { mergeRecordsTool } from './tools/merge-records.ts'
import { recordHistoryTool } from './tools/record-history.ts'
import { restoreRecordTool } from './tools/restore-record.ts'
import { searchTool } from './tools/search.ts'
import { summarizeTool } from './tools/summarize.ts'
import { updateFieldTool } from './tools/update-field.ts'
import { updateRecordTool } from './tools/update-record.ts'
import { upsertRecordTool } from './tools/upsert-record.ts'
import { whoamiTool } from './tools/whoami.ts'

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
