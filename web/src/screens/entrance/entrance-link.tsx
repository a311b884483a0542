import { Link, type LinkProps } from '@tanstack/react-router'

/** A link in the words around an entrance. */
export function EntranceLink(props: LinkProps) {
  return <Link {...props} className="rounded-sm font-medium text-accent underline-offset-2 hover:underline" />
}
