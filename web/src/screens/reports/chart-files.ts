import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import type { ChartData, TableCell } from './chart-data.ts'
import { FONT } from './charts/paint.tsx'

/** So that a spreadsheet reads UTF-8. */
const MARK = '\uFEFF'

/** The table of a chart as CSV. Texts that a spreadsheet would run are protected, as in exports of records. */
export function chartCsv({ head, rows }: ChartData): string {
  const lines = [head.map(escapeFormula), ...rows.map((row) => row.map(cellText))]
  return MARK + lines.map(csvLine).join('')
}

function cellText({ raw }: TableCell): string {
  if (raw === null) return ''
  return typeof raw === 'number' ? String(raw) : escapeFormula(raw)
}

/** All charts of a report in one file: a line for each row, with the title of its chart in front. */
export function reportCsv(charts: readonly { title: string; data: ChartData }[]): string {
  const blocks = charts.map(({ title, data: { head, rows } }) => {
    const named = (cells: readonly string[]) => [escapeFormula(title), ...cells]
    return [named(head.map(escapeFormula)), ...rows.map((row) => named(row.map(cellText)))].map(csvLine).join('')
  })
  return MARK + blocks.join(csvLine(['']))
}

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** The name of a file from a title. */
export function fileName(title: string, ending: string): string {
  const plain = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '')
  return `${plain === '' ? 'chart' : plain}.${ending}`
}

/** The colours of the light theme: a picture is for paper, whatever the screen looks like. */
const printed: Readonly<Record<string, string>> = {
  paper: '#ffffff',
  ink: '#1a1b1e',
  quiet: '#54575f',
  line: '#e6e7ea',
  accent: '#3653c9',
  'chart-second': '#0f8a7e',
  'chart-third': '#c98a12',
  'tint-purple-ink': '#64299e',
  'tint-red-ink': '#9b2219',
}

const SCALE = 2
const MARGIN = 16
const TITLE = 32

/** A drawn chart as a picture with its title, on white. */
export async function chartPng(svg: SVGSVGElement, title: string): Promise<Blob> {
  const [width, height] = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))]
  const size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN + TITLE }
  const copy = document.createElementNS(SVG, 'svg')
  copy.setAttribute('width', String(size.width))
  copy.setAttribute('height', String(size.height))
  const style = document.createElementNS(SVG, 'style')
  style.textContent = await fontFace()
  const heading = document.createElementNS(SVG, 'text')
  for (const [name, value] of Object.entries({ x: MARGIN, y: MARGIN + 14, 'font-size': 16, 'font-weight': 600 })) {
    heading.setAttribute(name, String(value))
  }
  heading.setAttribute('font-family', FONT)
  heading.textContent = title
  const drawing = document.createElementNS(SVG, 'g')
  drawing.setAttribute('transform', `translate(${MARGIN} ${MARGIN + TITLE})`)
  drawing.setAttribute('font-family', FONT)
  drawing.setAttribute('font-size', String(svg.getAttribute('font-size')))
  for (const child of svg.childNodes) drawing.append(child.cloneNode(true))
  // The rings of marks that have the focus are not for a picture.
  for (const ring of drawing.querySelectorAll('.invisible')) ring.remove()
  copy.append(style, heading, drawing)
  const text = new XMLSerializer()
    .serializeToString(copy)
    .replaceAll(/var\(--([\w-]+)\)/g, (found, name: string) => printed[name] ?? found)
  return painted(text, size)
}

const SVG = 'http://www.w3.org/2000/svg'

async function painted(text: string, { width, height }: { width: number; height: number }): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * SCALE
  canvas.height = height * SCALE
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw pictures.')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made.'))), 'image/png')
  })
}

/** The rules of the font of the page with its files inside: a picture cannot load anything. */
async function fontFace(): Promise<string> {
  const rules = [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule).map((rule) => ({ rule, sheet })),
  )
  const latin = rules.filter(({ rule }) => /inter-latin/.test(rule.cssText))
  const written = latin.map(async ({ rule, sheet }) => {
    const [, address = ''] = /url\("?([^")]+)"?\)/.exec(rule.cssText) ?? []
    const response = await fetch(new URL(address, sheet.href ?? document.baseURI))
    const url = await dataUrl(await response.blob())
    return rule.cssText.replace(/url\([^)]*\)/, `url(${url})`)
  })
  return (await Promise.all(written)).join('')
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}
