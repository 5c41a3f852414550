// Package template renders ChatML rows through a model's own chat template, and finds what a rendering leaves out.
//
// Templates are written for Python's Jinja2, and no library in Go renders all of them to the same bytes. So Python renders
// them: through Transformers where it is installed, and else with jinja2 set up as in Transformers. Without python3 and jinja2,
// Start fails.
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
	"time"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

//go:embed render.py
var script string

// A File holds the contents of a chat template file: templates by name, and their special tokens.
type File struct {
	Templates map[string]string
	Tokens    map[string]string
}

// defaultName is the name of a template without one.
const defaultName = "default"

// The names of files that Transformers writes beside a tokenizer_config.json.
const (
	configFile   = "tokenizer_config.json"
	templateFile = "chat_template.jinja"
	othersFolder = "additional_chat_templates" // each file is named as its template
)

// Read reads a template: a file of Jinja with those in additional_chat_templates beside it, or a tokenizer_config.json with one or
// several in its member chat_template, or beside such files. For a file of Jinja, it takes the special tokens from
// tokenizer_config.json in the same folder, if there is one.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Templates: map[string]string{}, Tokens: map[string]string{"bos_token": "", "eos_token": ""}}
	if filepath.Ext(path) != ".json" {
		if err := f.add(path, text); err != nil {
			return nil, err
		}
		config, err := os.ReadFile(filepath.Join(filepath.Dir(path), configFile))
		if errors.Is(err, os.ErrNotExist) {
			return f, nil
		}
		if err != nil {
			return nil, err
		}
		path, text = filepath.Join(filepath.Dir(path), configFile), config
	} else if beside := filepath.Join(filepath.Dir(path), templateFile); isFile(beside) { // Transformers takes it before the member
		template, err := os.ReadFile(beside)
		if err := errors.Join(err, f.add(beside, template)); err != nil {
			return nil, err
		}
	}
	if broken := jsontext.Check(text, jsontext.EmbeddedDepth); broken != nil {
		return nil, fmt.Errorf("%s: want a tokenizer's configuration in JSON: %w", path, broken)
	}
	f.configure(jsontext.Of(text), len(f.Templates) == 0)
	if f.Templates[defaultName] == "" {
		return nil, fmt.Errorf("%s: want a template in chat_template", path)
	}
	return f, nil
}

// add adds the template of a file of Jinja, and those that Transformers keeps beside it.
func (f *File) add(path string, text []byte) error {
	f.Templates[defaultName] = string(text)
	folder := filepath.Join(filepath.Dir(path), othersFolder)
	others, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, other := range others {
		name, ok := strings.CutSuffix(other.Name(), ".jinja")
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, other.Name()))
		if err != nil {
			return err
		}
		f.Templates[name] = string(text)
	}
	return err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// configure reads special tokens, and templates if wanted, from a tokenizer's configuration.
func (f *File) configure(config jsontext.JSON, templates bool) {
	for key, v := range config.Members() {
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
			for _, one := range v.Elements() {
				f.Templates[one.Get("name").Text()] = one.Get("template").Text()
			}
		}
	}
}

// A Renderer is a Python process with a template. Only one goroutine may use it.
type Renderer struct {
	Name string // what renders, with its version, such as "Transformers 5.23.0"

	patience time.Duration // how long the template may take for a row

	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err bytes.Buffer
}

// Start starts Python, or python3 for "", with the templates of a file. The caller closes the renderer.
func Start(ctx context.Context, python string, f *File) (*Renderer, error) {
	program, err := find(python)
	if err != nil {
		return nil, err
	}
	r := &Renderer{patience: patience, cmd: exec.CommandContext(ctx, program, "-X", "utf8", "-c", script)}
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
	if old := ready.Get("old"); err == nil && old != "" {
		least := ready.Get("least").Text()
		err = fmt.Errorf("want jinja2 %s or later, in whose sandbox templates stay, have %s: %s -m pip install 'jinja2>=%s'", least, old.Text(), program, least)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Name = ready.Get("ready").Text()
	return r, nil
}

// find looks for Python in PATH, and in the usual folders when the environment has no PATH.
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
	return "", fmt.Errorf("want %s with jinja2 to render chat templates", python)
}

// json returns the file as the script reads it.
func (f *File) json() []byte {
	dst := []byte("{")
	for name, texts := range map[string]map[string]string{"templates": f.Templates, "tokens": f.Tokens} {
		dst = append(jsontext.AppendKey(dst, name), '{')
		for key, text := range texts {
			dst = jsontext.AppendMember(dst, key, text)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// patience is how long a template may take for a row, unless a test is in a hurry; what it may allocate is in the script.
const patience = 30 * time.Second

// ask sends a line of JSON and returns the answer. A template that does not end is ended with its Python.
func (r *Renderer) ask(line []byte) (jsontext.JSON, error) {
	late := time.AfterFunc(r.patience, func() { _ = r.cmd.Process.Kill() })
	answer, err := r.exchange(line)
	if !late.Stop() && err != nil {
		err = fmt.Errorf("want a template that renders a row within %v, have one that takes longer", r.patience)
	}
	return answer, err
}

func (r *Renderer) exchange(line []byte) (jsontext.JSON, error) {
	if _, err := r.in.Write(append(line[:len(line):len(line)], '\n')); err != nil {
		return "", r.ended(err)
	}
	answer, err := r.out.ReadBytes('\n')
	if err != nil {
		return "", r.ended(err)
	}
	answer = bytes.TrimSpace(answer)
	if broken := jsontext.Check(answer, jsontext.EmbeddedDepth); broken != nil {
		return "", fmt.Errorf("want an answer of Python in JSON: %w", broken)
	}
	return jsontext.Of(answer), nil
}

// ended returns the error of a Python that does not answer.
func (r *Renderer) ended(err error) error {
	_ = r.in.Close()
	_ = r.cmd.Wait() // after this, r.err is complete
	return fmt.Errorf("python ended: %w: %s", err, strings.TrimSpace(r.err.String()))
}

// Close ends Python.
func (r *Renderer) Close() error {
	err := r.in.Close()
	if r.cmd.ProcessState != nil { // ended has reported this
		return nil
	}
	return errors.Join(err, r.cmd.Wait())
}

// A Rendering is a row as the model reads it.
type Rendering struct {
	Segments []Segment
	Exact    bool   // the template marks where the trained text begins; otherwise that is where renderings begin to differ
	Hidden   bool   // images, audio or video of the row are not shown
	Error    string // the exception of the template; then there are no segments
}

// A Segment is a piece of text, to train on or not.
type Segment struct {
	Trained bool
	Text    string
}

// Text returns the whole text.
func (r *Rendering) Text() string {
	var b strings.Builder
	for _, s := range r.Segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Render renders a row {messages, tools}. The text that the template marks with {% generation %} is trained on; in a template
// without marks, the text that the last message adds to the prompt.
func (r *Renderer) Render(row jsontext.JSON) (*Rendering, error) {
	answer, err := r.ask(jsontext.AppendCompact(nil, row))
	if err != nil {
		return nil, err
	}
	made := &Rendering{Exact: answer.Get("exact") == "true", Hidden: answer.Get("hidden") == "true", Error: answer.Get("error").Text()}
	for _, segment := range answer.Get("segments").Elements() {
		var s Segment
		for i, v := range segment.Elements() {
			if i == 0 {
				s.Trained = v == "true"
			} else {
				s.Text = v.Text()
			}
		}
		made.Segments = append(made.Segments, s)
	}
	return made, nil
}
