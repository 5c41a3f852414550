package places

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"gopkg.in/ini.v1"
)

// A client speaks to one endpoint with one set of credentials.
type client struct {
	*minio.Core
	endpoint string // as it may be shown
	creds    *credentials.Credentials
	static   string // where credentials would be found that need no service
}

// settings are what a client is made by, from the environment and the profile.
type settings struct{ endpoint, region, profile, key, token, files string }

var clients struct {
	sync.Mutex
	by map[settings]*client
}

const amazon = "https://s3.amazonaws.com"

// current returns the settings of this moment.
func current() settings {
	s := settings{
		profile: cmp.Or(os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"), "default"),
		key:     os.Getenv("AWS_ACCESS_KEY_ID"), token: os.Getenv("AWS_SESSION_TOKEN"),
		files: os.Getenv("AWS_CONFIG_FILE") + "\x00" + os.Getenv("AWS_SHARED_CREDENTIALS_FILE"),
	}
	profile := readProfile(s.profile)
	s.endpoint = cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), profile("endpoint_url"), amazon)
	s.region = cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), profile("region"))
	return s
}

// readProfile returns what the shared config file says in a profile, "" for what it does not say.
func readProfile(name string) func(key string) string {
	path := os.Getenv("AWS_CONFIG_FILE")
	if home, err := os.UserHomeDir(); path == "" && err == nil {
		path = filepath.Join(home, ".aws", "config")
	}
	section := "profile " + name
	if name == "default" {
		section = name
	}
	file, err := ini.Load(path)
	if err != nil || !file.HasSection(section) {
		return func(string) string { return "" }
	}
	return func(key string) string { return file.Section(section).Key(key).String() }
}

// connect returns the client of the environment. It sends nothing.
func connect() (*client, error) {
	s := current()
	clients.Lock()
	defer clients.Unlock()
	if c := clients.by[s]; c != nil {
		return c, nil
	}
	u, err := endpointURL(s.endpoint)
	if err != nil {
		return nil, err
	}
	c := &client{endpoint: u.Scheme + "://" + u.Host, static: "profile " + s.profile}
	own := s.endpoint != amazon && !strings.HasSuffix(u.Hostname(), ".amazonaws.com")
	c.creds = chain(s, own)
	opts := &minio.Options{
		Creds: c.creds, Secure: u.Scheme == "https", Region: s.region, Transport: transport, MaxRetries: 1}
	if own {
		opts.BucketLookup, opts.Region = minio.BucketLookupPath, cmp.Or(s.region, "us-east-1")
	}
	if c.Core, err = minio.NewCore(u.Host, opts); err != nil {
		return nil, fmt.Errorf("%s: %w", c.endpoint, err)
	}
	if clients.by == nil {
		clients.by = map[settings]*client{}
	}
	clients.by[s] = c
	return c, nil
}

// endpointURL reads the URL of a service. It may hold what is secret, which the error does not show.
func endpointURL(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("want a URL such as https://minio.example:9000 in AWS_ENDPOINT_URL, have one that cannot be read")
	}
	return u, nil
}

// chain looks for credentials where all tools of AWS do: the environment, the shared files, the identity of a container or pod, and the
// machine's, which only a machine of AWS has. Where there are none requests are not signed, as for public buckets.
func chain(s settings, own bool) *credentials.Credentials {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{Profile: s.profile}}
	service := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" || os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" ||
		os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != ""
	if service || !own && !strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		patience := 2 * time.Second // for a machine that has no such service
		if service {
			patience = time.Minute
		}
		providers = append(providers, &credentials.IAM{Region: s.region, Client: &http.Client{Timeout: patience, Transport: transport}})
	}
	return credentials.New(&credentials.Chain{Providers: providers})
}

// origin says where the credentials come from, for messages.
func (c *client) origin() string {
	v, err := c.creds.GetWithContext(c.CredContext())
	switch {
	case err != nil || v.AccessKeyID == "":
		return "nowhere: none were found, want AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile"
	case v.AccessKeyID == os.Getenv("AWS_ACCESS_KEY_ID") || v.AccessKeyID == os.Getenv("AWS_ACCESS_KEY"):
		return "the environment"
	case v.SessionToken != "" && !v.Expiration.IsZero():
		return "the identity of the machine or pod"
	}
	return c.static
}

// patience is how long a server may send nothing.
const patience = 60 * time.Second

// transport keeps as many connections as are read and written at a time.
var transport = &http.Transport{
	Proxy:                 http.ProxyFromEnvironment,
	DialContext:           (&net.Dialer{Timeout: 20 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
	MaxIdleConns:          256,
	MaxIdleConnsPerHost:   64,
	IdleConnTimeout:       90 * time.Second,
	TLSHandshakeTimeout:   20 * time.Second,
	ResponseHeaderTimeout: patience,
	ReadBufferSize:        64 << 10,
	WriteBufferSize:       64 << 10,
	DisableCompression:    true, // bytes are read as they lie there
}

// withBucket connects and returns the bucket and key of a name as well.
func withBucket(op, name string) (c *client, bucket, key string, err error) {
	if c, err = connect(); err != nil {
		return nil, "", "", fault(op, name, err)
	}
	bucket, key = Split(name)
	if s3utils.CheckValidBucketName(bucket) != nil {
		return nil, "", "", fault(op, name, fmt.Errorf("want the name of a bucket, have %q", bucket))
	}
	return c, bucket, key, nil
}

// do makes a request, again where that may help. Its error names the object.
func (c *client) do(ctx context.Context, op, name string, request func() error) error {
	if err := again(ctx, request); err != nil {
		bucket, _ := Split(name)
		return fault(op, name, c.because(bucket, err))
	}
	return nil
}
