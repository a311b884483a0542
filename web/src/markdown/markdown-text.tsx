import Markdown, { type Components } from 'react-markdown'
import { beyondCommonMark } from './beyond-common-mark.ts'

/** Markdown laid out. HTML in it stays text, and links lead to the web or to mail only. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div dir="auto" className="prose-text text-base">
      <Markdown components={components} rehypePlugins={[beyondCommonMark]} urlTransform={safeAddress}>
        {text}
      </Markdown>
    </div>
  )
}

const components: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  // A picture of another site would tell that site who reads this.
  img: ({ src, alt }) =>
    typeof src === 'string' && src !== '' ? (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow">
        {alt || src}
      </a>
    ) : (
      <span>{alt}</span>
    ),
}

function safeAddress(address: string): string {
  return /^(https?:\/\/|mailto:)/i.test(address) ? address : ''
}
