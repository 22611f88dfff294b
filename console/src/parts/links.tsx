// Mantine's buttons and anchors as links of the router.
import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Native<P> = P & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P> & { ref?: Ref<HTMLAnchorElement> }

export const LinkButton = createLink((props: Native<ButtonProps>) => <Button component="a" {...props} />)
export const LinkText = createLink((props: Native<AnchorProps>) => <Anchor {...props} />)
export const LinkNav = createLink((props: Native<NavLinkProps>) => <NavLink component="a" {...props} />)
/** The name of a record, leading to it. */
export const LinkName = createLink((props: Native<AnchorProps>) => (
  <Anchor size="sm" fw={600} underline="hover" {...props} />
))
