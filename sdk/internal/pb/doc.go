// Package pb is the protocol's generated code; only package rpc sees it.
package pb

// With protoc 3.21.12, protoc-gen-go v1.36.12 and protoc-gen-go-grpc v1.6.2:
//go:generate protoc -I../../wire --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative wire.proto
