import { useState } from 'react'
import { classNames, tintOf } from './class-names.ts'

export type AvatarSize = 16 | 20 | 24 | 32 | 40 | 64

const sizes = {
  16: 'size-4 text-[9px]',
  20: 'size-5 text-[10px]',
  24: 'size-6 text-[11px]',
  32: 'size-8 text-sm',
  40: 'size-10 text-base',
  64: 'size-16 text-xl',
}

/** A picture, or initials on a stable tint. Nothing is asked of anybody outside. */
export function Avatar(props: {
  name: string
  /** People are round, companies are square with one initial. */
  shape?: 'person' | 'company'
  size?: AvatarSize
  /** The address of an image that is shown instead of the initials. */
  picture?: string | undefined
}) {
  const { name, shape = 'person', size = 20, picture } = props
  const [broken, setBroken] = useState<string>()
  return (
    <span
      aria-hidden
      data-tint={tintOf(name)}
      className={classNames(
        'relative inline-grid shrink-0 place-items-center overflow-hidden leading-none font-semibold select-none',
        shape === 'person' ? 'rounded-full' : 'rounded-sm',
        sizes[size],
      )}
    >
      {initials(name, shape === 'person' && size > 16 ? 2 : 1)}
      {picture !== undefined && picture !== broken && (
        <img
          src={picture}
          alt=""
          draggable={false}
          onError={() => setBroken(picture)}
          className="absolute inset-0 size-full object-cover"
        />
      )}
    </span>
  )
}

function initials(name: string, count: number): string {
  const words = name.trim().split(/\s+/)
  const chosen = count === 1 || words.length < 2 ? words.slice(0, 1) : [words[0] ?? '', words.at(-1) ?? '']
  return (
    chosen
      .map((word) => [...word][0] ?? '')
      .join('')
      .toUpperCase() || '?'
  )
}
