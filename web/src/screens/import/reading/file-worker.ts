import { csvSource } from './csv-source.ts'
import { type RewritePlan, rewrite } from './rewrite.ts'
import type { RowSource } from './row-source.ts'
import { type FileScan, scan } from './scan.ts'
import { xlsxSource } from './xlsx-source.ts'

/** The tasks of the worker and their answers. */
export type FileTask =
  | { kind: 'open'; file: File }
  | { kind: 'scan'; sheet: number }
  | { kind: 'rewrite'; sheet: number; wanted: RewritePlan }

export type FileAnswers = {
  open: { sheets: readonly string[] }
  scan: FileScan
  rewrite: Blob
}

export type FileReply = { progress: number } | { answer: FileAnswers[keyof FileAnswers] } | { problem: string }

let source: RowSource | undefined

/** Reads files in a thread of its own, so that the page stays usable. */
self.onmessage = async ({ data }: MessageEvent<FileTask>) => {
  try {
    reply({ answer: await run(data) })
  } catch (error) {
    reply({ problem: problemOf(error) })
  }
}

async function run(task: FileTask): Promise<FileAnswers[keyof FileAnswers]> {
  if (task.kind === 'open') {
    source = (await isZip(task.file)) ? await xlsxSource(task.file) : await csvSource(task.file)
    return { sheets: source.sheets }
  }
  if (!source) throw new Error('No file is open.')
  if (task.kind === 'scan') return scan(source, task.sheet, tell)
  return rewrite(source.rows(task.sheet, tell), task.wanted)
}

const TELL_MS = 100
let told = 0

function tell(progress: number): void {
  const now = Date.now()
  if (now - told < TELL_MS) return
  told = now
  reply({ progress })
}

function reply(message: FileReply): void {
  self.postMessage(message)
}

/** A workbook is told by its first bytes: names of files are often wrong. Old and locked ones are no ZIP archives. */
async function isZip(file: File): Promise<boolean> {
  const first = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  const isArchive = first[0] === 0x50 && first[1] === 0x4b
  return isArchive || (first[0] === 0xd0 && first[1] === 0xcf)
}

function problemOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'NotReadableError') {
    return 'The file can no longer be read. It was moved, changed or deleted. Choose it again.'
  }
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof Error) || !/^(Zip|Parse|Xml)?Error$/.test(error.name) || error.name === 'Error') return message
  return `The file is damaged or is not an XLSX workbook (${message}). Open it in Excel and save it again.`
}
