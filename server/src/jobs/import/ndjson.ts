/** Splits texts into lines, without those that are empty. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const rest = newLineSplitter()
  for await (const text of texts) yield* rest.lines(text)
  yield* rest.last()
}

export function newLineSplitter() {
  let open = ''
  return {
    *lines(text: string): Generator<string> {
      const parts = (open + text).split('\n')
      open = parts.pop() ?? ''
      for (const line of parts) if (line.trim() !== '') yield line
    },
    /** How long the line is that has no end yet. */
    open: () => open.length,
    *last(): Generator<string> {
      if (open.trim() !== '') yield open
    },
  }
}

/** The last line of an export is no record. */
export function isEndLine(line: string): boolean {
  return /^\s*\{\s*"type"\s*:\s*"end"/.test(line)
}
