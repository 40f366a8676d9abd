import { type ReactNode, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { Button } from './Button.tsx';
import { cn } from './class-names.ts';
import { t } from '#ui/messages.ts';

type FoldedProps = {
  /** Whether the text probably has more than two lines. Then the button is rendered before the lines are measured. */
  likelyLong: boolean;
  className?: string;
  children: ReactNode;
};

/** Shows only the first two lines of a text until the user unfolds it. */
export function Folded({ likelyLong, className, children }: FoldedProps) {
  const id = useId();
  const text = useRef<HTMLParagraphElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isLong, setLong] = useState(likelyLong);
  const measure = useEffectEvent(() => {
    const { scrollHeight = 0, clientHeight = 0 } = text.current ?? {};
    if (!isOpen) setLong(scrollHeight > clientHeight);
  });
  // After each render, because the text may have changed.
  useLayoutEffect(() => measure());
  useEffect(() => {
    const onResize = () => measure();
    window.addEventListener('resize', onResize);
    return () => window.removeEventListener('resize', onResize);
  }, []);
  return (
    <>
      <p ref={text} id={id} className={cn(className, !isOpen && 'line-clamp-2')}>
        {children}
      </p>
      {isLong && (
        <Button
          variant="link"
          size="sm"
          aria-expanded={isOpen}
          aria-controls={id}
          className="-my-3 justify-self-start px-0!"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t('showLess') : t('showMore')}
        </Button>
      )}
    </>
  );
}
