// Package template renders ChatML rows through a model's own chat template, and finds what a rendering leaves out.
//
// Templates are written for Python's Jinja2, and no library in Go renders all of them to the same bytes. So the rendering
// is done by Python, set up as Transformers does; without python3 and jinja2 it says so.
package template

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

//go:embed render.py
var script string

// A File is what a chat template file holds: templates by name, and the special tokens that go with them.
type File struct {
	Templates map[string]string
	Tokens    map[string]string
}

// defaultName is the name of a template that is the only one.
const defaultName = "default"

// Read reads a template: a file of Jinja, or a tokenizer_config.json with one or several in its member chat_template.
// Beside a file of Jinja, tokenizer_config.json has the special tokens, if it is there.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Templates: map[string]string{}, Tokens: map[string]string{"bos_token": "", "eos_token": ""}}
	if filepath.Ext(path) != ".json" {
		f.Templates[defaultName] = string(text)
		beside, err := os.ReadFile(filepath.Join(filepath.Dir(path), "tokenizer_config.json"))
		if errors.Is(err, os.ErrNotExist) {
			return f, nil
		}
		if err != nil {
			return nil, err
		}
		text = beside
	}
	if broken := jsontext.Check(text, jsontext.EmbeddedDepth); broken != nil {
		return nil, fmt.Errorf("%s: want a tokenizer's configuration, have no JSON: %w", path, broken)
	}
	f.configure(jsontext.Of(text), len(f.Templates) == 0)
	if f.Templates[defaultName] == "" {
		return nil, fmt.Errorf("%s: want a template in chat_template, have none", path)
	}
	return f, nil
}

// configure takes special tokens, and templates if they are wanted, from a tokenizer's configuration.
func (f *File) configure(config jsontext.JSON, templates bool) {
	c := config.Cursor()
	for key := range c.Members() {
		v := c.Value()
		switch {
		case strings.HasSuffix(key, "_token"):
			if token, ok := v.Quoted(); ok {
				f.Tokens[key] = token.Text()
			} else if v.Kind() == '{' {
				f.Tokens[key] = v.Get("content").Text()
			}
		case key != "chat_template" || !templates:
		case v.Kind() == '"':
			f.Templates[defaultName] = v.Text()
		default:
			list := v.Cursor()
			for range list.Elements() {
				one := list.Value()
				f.Templates[one.Get("name").Text()] = one.Get("template").Text()
			}
		}
	}
}

// A Renderer is a Python process that has a template ready. One goroutine uses it.
type Renderer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err bytes.Buffer
}

// Start starts Python, python3 when it is not named, with the template of a file. The caller closes what it gets.
func Start(ctx context.Context, python string, f *File) (*Renderer, error) {
	program, err := find(python)
	if err != nil {
		return nil, err
	}
	r := &Renderer{cmd: exec.CommandContext(ctx, program, "-X", "utf8", "-c", script)}
	r.cmd.Stderr = &r.err
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReaderSize(out, 1<<16)
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	ready, err := r.ask(f.json())
	if fault := ready.Get("fault"); err == nil && fault != "" {
		err = fmt.Errorf("want a template that Jinja2 can read and %s with jinja2 (pip install jinja2), have %s", program, fault.Text())
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// find looks for Python where programs are, also when the environment does not say where that is.
func find(python string) (string, error) {
	if python == "" {
		python = "python3"
	}
	if program, err := exec.LookPath(python); err == nil {
		return program, nil
	}
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"} {
		if program, err := exec.LookPath(filepath.Join(dir, python)); err == nil && !filepath.IsAbs(python) {
			return program, nil
		}
	}
	return "", fmt.Errorf("want %s with jinja2 to render chat templates, have none", python)
}

// json is the file as the script reads it.
func (f *File) json() []byte {
	dst := []byte("{")
	for i, part := range []struct {
		name string
		text map[string]string
	}{{"templates", f.Templates}, {"tokens", f.Tokens}} {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, part.name), ":{"...)
		first := true
		for name, text := range part.text {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = jsontext.AppendMember(dst, name, text)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// ask sends a line of JSON and gives the answer.
func (r *Renderer) ask(line []byte) (jsontext.JSON, error) {
	if _, err := r.in.Write(append(line[:len(line):len(line)], '\n')); err != nil {
		return "", r.ended(err)
	}
	said, err := r.out.ReadBytes('\n')
	if err != nil {
		return "", r.ended(err)
	}
	said = bytes.TrimSpace(said)
	if broken := jsontext.Check(said, jsontext.EmbeddedDepth); broken != nil {
		return "", fmt.Errorf("want an answer of Python in JSON: %w", broken)
	}
	return jsontext.Of(said), nil
}

// ended says why Python does not answer.
func (r *Renderer) ended(err error) error {
	_ = r.in.Close()
	_ = r.cmd.Wait() // what it wrote is complete then
	return fmt.Errorf("python ended: %w: %s", err, strings.TrimSpace(r.err.String()))
}

// Close ends Python.
func (r *Renderer) Close() error {
	err := r.in.Close()
	if r.cmd.ProcessState != nil { // it has ended, which was told
		return nil
	}
	return errors.Join(err, r.cmd.Wait())
}

// A Rendering is a row as the model reads it.
type Rendering struct {
	Segments []Segment
	Exact    bool   // where the trained text begins is known; otherwise it is where renderings begin to differ
	Error    string // what the template raised; then there is nothing else
}

// A Segment is a stretch of text, to train on or not.
type Segment struct {
	Trained bool
	Text    string
}

// Text is the whole text.
func (r *Rendering) Text() string {
	var b strings.Builder
	for _, s := range r.Segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Render renders a row {messages, tools}. What the template marks with {% generation %} is trained on; in a template without
// marks, it is what the last message adds to the prompt for it.
func (r *Renderer) Render(row jsontext.JSON) (*Rendering, error) {
	said, err := r.ask(jsontext.AppendCompact(nil, row))
	if err != nil {
		return nil, err
	}
	made := &Rendering{Exact: said.Get("exact") == "true", Error: said.Get("error").Text()}
	if list := said.Get("segments"); list != "" {
		at := list.Cursor()
		for range at.Elements() {
			var s Segment
			for i := range at.Elements() {
				if v := at.Value(); i == 0 {
					s.Trained = v == "true"
				} else {
					s.Text = v.Text()
				}
			}
			made.Segments = append(made.Segments, s)
		}
	}
	return made, nil
}
