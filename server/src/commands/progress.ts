import type { Context } from './command.ts'

/** Shows how far a long command is: as a bar on a terminal, else as a line now and then. */
type Progress = {
  show(done: number): void
  /** Ends with the final number. */
  end(done: number): void
}

const BAR = 24
const REDRAW_MS = 200
const LINE_MS = 5000

type Shown = {
  /** Such as `people`. */
  what: string
  /** Undefined if it is not known. */
  total: number | undefined
}

export function newProgress({ isInteractive, printError }: Context, { what, total }: Shown): Progress {
  const started = performance.now()
  let shown = started
  const rate = (done: number) => `${grouped((done / Math.max(1, performance.now() - started)) * 1000)} per second`
  const ofTotal = (done: number) => `${grouped(done)}${total === undefined ? '' : ` of ${grouped(total)}`} ${what}`
  const draw = (done: number) => {
    if (isInteractive) printError(`\r${bar(done, total)}${ofTotal(done)}, ${rate(done)}\u001b[K`)
    else printError(`${ofTotal(done)}\n`)
  }
  return {
    show(done) {
      const now = performance.now()
      if (now - shown < (isInteractive ? REDRAW_MS : LINE_MS)) return
      shown = now
      draw(done)
    },
    end(done) {
      if (isInteractive) printError('\r\u001b[K')
      printError(`${grouped(done)} ${what}, ${rate(done)}.\n`)
    },
  }
}

function bar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return ''
  const share = Math.min(1, done / total)
  const full = Math.round(share * BAR)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${Math.floor(share * 100)} %  `
}

function grouped(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
