const isApple = /Mac|iP(hone|ad)/.test(navigator.userAgent)

/** A key hint such as `C` or `Mod+K`; `Mod` is the key that the reader's system uses for it. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-0.5">
      {keys.split('+').map((key) => (
        <kbd
          key={key}
          className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border border-line bg-sunk px-1 font-sans text-[11px] leading-none text-quiet"
        >
          {key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key}
        </kbd>
      ))}
    </span>
  )
}
