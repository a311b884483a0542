/** The longest row, in characters. A quote that is never closed makes a row of the rest of the file. */
const ROW_MAX = 1024 * 1024

/** Reads texts as CSV: RFC 4180, any line ends, quotes inside of a value. Empty lines are left out. */
export function csvReader(delimiter: string): {
  /** The rows that are complete with this text. */
  write(text: string): string[][]
  /** The last row, which needs no line end. */
  end(): string[][]
} {
  const special = new RegExp(`[\\r\\n${delimiter === '\t' ? '\\t' : `\\${delimiter}`}]`, 'g')
  let rest = ''
  let row: string[] = []
  let count = 0

  function read(text: string, isEnd: boolean): string[][] {
    const rows: string[][] = []
    let at = 0
    // Where the row begins that is not complete yet: it is read again with the next text.
    let start = 0
    const finish = () => {
      if (row.length > 1 || row[0] !== '') {
        rows.push(row)
        count++
      }
      row = []
    }
    while (at < text.length) {
      const cell = text[at] === '"' ? quotedCell(text, at, isEnd) : plainCell(text, at, isEnd)
      if (cell === undefined) break
      row.push(cell.value)
      at = cell.end
      if (text[at] === delimiter) {
        at++
        // The row ends with an empty cell.
        if (at === text.length && isEnd) row.push('')
        continue
      }
      // A line end may be cut in two.
      if (text[at] === '\r' && at + 1 === text.length && !isEnd) break
      at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1
      finish()
      start = at
    }
    if (isEnd && row.length > 0) finish()
    row = []
    rest = text.slice(start)
    if (rest.length > ROW_MAX) throw new Error(`${place()} is longer than 1 MiB. A closing quote may be missing in it.`)
    return rows
  }

  function plainCell(text: string, from: number, isEnd: boolean): Cell | undefined {
    special.lastIndex = from
    const end = special.exec(text)?.index ?? -1
    if (end === -1 && !isEnd) return undefined
    const to = end === -1 ? text.length : end
    return { value: text.slice(from, to), end: to }
  }

  function quotedCell(text: string, from: number, isEnd: boolean): Cell | undefined {
    let value = ''
    for (let at = from + 1; ; ) {
      const quote = text.indexOf('"', at)
      if (quote === -1) {
        if (isEnd)
          throw new Error(`${place()} has a quote that is never closed. The file was cut off, or a quote is missing.`)
        return undefined
      }
      if (quote + 1 === text.length && !isEnd) return undefined
      value += text.slice(at, quote)
      if (text[quote + 1] !== '"') {
        // Text after the closing quote belongs to the value, as spreadsheets read it.
        const tail = plainCell(text, quote + 1, isEnd)
        return tail && { value: value + tail.value, end: tail.end }
      }
      value += '"'
      at = quote + 2
    }
  }

  function place(): string {
    return count === 0 ? 'The header' : `Row ${count}`
  }

  return {
    write: (text) => read(rest + text, false),
    end: () => read(rest, true),
  }
}

type Cell = { value: string; end: number }

const CANDIDATES = [',', ';', '\t', '|']

/** The delimiter that splits the first lines into the most columns. */
export function delimiterIn(start: string): string {
  const [header = ''] = start.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const counted = CANDIDATES.map((delimiter) => ({ delimiter, count: header.split(delimiter).length - 1 }))
  const best = counted.reduce((one, other) => (other.count > one.count ? other : one))
  return best.delimiter
}
