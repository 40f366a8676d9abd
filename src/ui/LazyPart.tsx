import { Component, type ComponentType, lazy, type ReactNode, useState } from 'react';
import { Banner } from './Banner.tsx';
import { Button } from './Button.tsx';
import { t } from '#ui/messages.ts';

/** Thrown when the file of a part cannot be loaded: without a network, or because a newer version has replaced it. */
class PartNotLoaded extends Error {}

interface BoundaryProps {
  render: () => ReactNode;
  /** Makes the next render load the part again. */
  reset: () => void;
  /** Closes the part, if it is a dialog. */
  close: (() => void) | undefined;
}

/** Shows the error of a part in its place. Other errors are errors of the page. */
class Boundary extends Component<BoundaryProps, { error?: Error; tries: number }> {
  override state: { error?: Error; tries: number } = { tries: 0 };

  static getDerivedStateFromError = (error: Error) => ({ error });

  override componentDidCatch() {
    this.props.reset();
  }

  tryAgain = () => this.setState(({ tries }) => ({ error: undefined, tries: tries + 1 }));

  override render() {
    const { error, tries } = this.state;
    const { render, close } = this.props;
    if (!error) return render();
    if (!(error instanceof PartNotLoaded)) throw error;
    const notice = (
      <Banner
        role="alert"
        tone="error"
        title={t('partNotLoaded')}
        action={
          <span className="flex flex-wrap gap-2">
            {close && (
              <Button variant="ghost" size="sm" onClick={close}>
                {t('close')}
              </Button>
            )}
            {tries === 0 ? (
              <Button key="again" variant="secondary" size="sm" onClick={this.tryAgain}>
                {t('tryAgain')}
              </Button>
            ) : (
              // Some browsers remember that a file could not be loaded for as long as the page is open.
              <Button key="reload" variant="secondary" size="sm" onClick={() => window.location.reload()}>
                {t('reloadThePage')}
              </Button>
            )}
          </span>
        }
      />
    );
    // In place of a dialog, which would be above the page.
    if (close)
      return (
        <div className="fixed inset-x-0 bottom-0 z-60 mx-auto max-w-lg p-4 text-left font-normal *:shadow-lg">
          {notice}
        </div>
      );
    return notice;
  }
}

type Part = (props: never) => ReactNode;
type PropsOf<Type> = Type extends () => ReactNode
  ? object
  : Type extends (props: infer P) => ReactNode
    ? P
    : never;

/**
 * A component whose code is loaded when it is rendered first, below a `Suspense`. If that fails, it shows a button to
 * try again, and the rest of the page stays usable. After `load()`, it is rendered at once, as the server needs it.
 */
export function lazyPart<Type extends Part>(load: () => Promise<{ default: Type }>) {
  const loadPart = load as unknown as () => Promise<{ default: ComponentType<object> }>;
  let loaded: ComponentType<object> | undefined;
  const begin = () =>
    lazy(() =>
      loadPart().catch((cause: unknown) => {
        throw new PartNotLoaded('A part of the page could not be loaded.', { cause });
      }),
    );
  // React remembers a failure, so the next try needs another lazy component.
  let Lazy = begin();
  function LazyPart(props: PropsOf<Type>) {
    // Another component in its place would lose its state.
    const [Loaded] = useState(() => loaded);
    const { onClose, onOpenChange } = props as {
      onClose?: () => void;
      onOpenChange?: (open: boolean) => void;
    };
    const close = onClose ?? (onOpenChange && (() => onOpenChange(false)));
    return (
      <Boundary
        close={close}
        reset={() => void (Lazy = begin())}
        render={() => (Loaded ? <Loaded {...(props as object)} /> : <Lazy {...(props as object)} />)}
      />
    );
  }
  return Object.assign(LazyPart, {
    load: async () => {
      loaded ??= (await loadPart()).default;
    },
  });
}

/** A file with parts of a screen that only some viewers need, by its path from src/app/web. */
export interface LazyFile {
  file: string;
  parts: { load: () => Promise<void> }[];
}

/** Loads parts, which are then rendered at once: the page is complete when it appears. */
export async function loadParts(files: readonly LazyFile[]): Promise<void> {
  await Promise.all(files.flatMap(({ parts }) => parts).map(({ load }) => load()));
}
