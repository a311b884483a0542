import type { ReactNode } from 'react'

type Props = { texts: readonly string[]; hrefOf(text: string): string; shownAs?: (text: string) => ReactNode }

/** Values that lead out of the application: each is a link, the rest of the place edits. */
export function TextLinks({ texts, hrefOf, shownAs = (text) => text }: Props) {
  if (texts.length === 0) return null
  return (
    <span title={texts.join('\n')} className="block truncate">
      {texts.map((text, place) => (
        <span key={text}>
          {place > 0 && ', '}
          <a
            href={hrefOf(text)}
            target="_blank"
            rel="noreferrer"
            tabIndex={-1}
            onClick={(event) => event.stopPropagation()}
            className="underline-offset-2 hover:text-accent hover:underline"
          >
            {shownAs(text)}
          </a>
        </span>
      ))}
    </span>
  )
}
