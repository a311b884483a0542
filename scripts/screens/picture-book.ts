import type { Scene } from './scenes.ts'

/** The Markdown page that shows all pictures in groups. */
export function pictureBook(scenes: readonly Scene[]): string {
  const groups = [...new Set(scenes.map(({ group }) => group))]
  const sections = groups.map((group) => {
    const rows = scenes.filter((scene) => scene.group === group).map(row)
    return [`## ${group}`, '', '| Light | Dark | Narrow |', '|---|---|---|', ...rows, ''].join('\n')
  })
  return [
    '# The screens of the application',
    '',
    'Every screen, with sample records: in the light and the dark theme at 1280 × 800, and at 400 pixels width.',
    'The pictures are taken by `npm run screens` from a service of its own.',
    '',
    ...sections,
  ].join('\n')
}

function row({ name, title, darkNarrow }: Scene): string {
  const picture = (look: string, width: number) =>
    `<img src="./${name}-${look}.webp" width="${width}" alt="${title}, ${look.replace('-', ', ')}">`
  const narrow = [picture('narrow', 140), ...(darkNarrow ? [picture('narrow-dark', 140)] : [])]
  return `| ${title}<br>${picture('light', 400)} | <br>${picture('dark', 400)} | ${narrow.join(' ')} |`
}
